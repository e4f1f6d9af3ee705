// Sums 256 elements a block; step s adds partners s apart, and the active threads stay dense.
// Shows: the reads walk shared memory at stride 2s, so the bank conflicts double with each step.

constexpr int BLOCK = 256;

extern "C" __global__ void reduction_interleaved(const float* in, float* partial, int n)
{
    __shared__ float sums[BLOCK];

    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    sums[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();

    for (int s = 1; s < BLOCK; s *= 2) {
        int first = 2 * s * tid;
        if (first < BLOCK)
            sums[first] += sums[first + s];
        __syncthreads();
    }

    if (tid == 0)
        partial[blockIdx.x] = sums[0];
}
