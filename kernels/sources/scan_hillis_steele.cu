// Inclusive prefix sums inside each block of 256 elements, in log2(256) steps over two buffers.
// Shows: every thread adds in every step (n log n additions), conflict-free, one barrier a step.

constexpr int BLOCK = 256;

extern "C" __global__ void scan_hillis_steele(const float* in, float* out, int n)
{
    __shared__ float sums[2][BLOCK];

    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    int current = 0;
    sums[current][tid] = i < n ? in[i] : 0.0f;
    __syncthreads();

    for (int offset = 1; offset < BLOCK; offset *= 2) {
        float value = sums[current][tid];
        if (tid >= offset)
            value += sums[current][tid - offset];
        current = 1 - current;
        sums[current][tid] = value;
        __syncthreads();
    }

    if (i < n)
        out[i] = sums[current][tid];
}
