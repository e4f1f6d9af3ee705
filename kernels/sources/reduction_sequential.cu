// Sums 256 elements a block; each step folds the upper half onto the lower half.
// Shows: neighbouring lanes touch neighbouring words: no conflicts, and whole warps drop out.

constexpr int BLOCK = 256;

extern "C" __global__ void reduction_sequential(const float* in, float* partial, int n)
{
    __shared__ float sums[BLOCK];

    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    sums[tid] = i < n ? in[i] : 0.0f;
    __syncthreads();

    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s)
            sums[tid] += sums[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        partial[blockIdx.x] = sums[0];
}
