// Exclusive prefix sums inside each block of 512 elements: a tree up, then down; 256 threads.
// Shows: only n additions each way, but the tree's strides double the bank conflicts with every
// level.

constexpr int THREADS = 256;
constexpr int ELEMENTS = 2 * THREADS;

extern "C" __global__ void scan_blelloch(const float* in, float* out, int n)
{
    __shared__ float sums[ELEMENTS];

    int tid = threadIdx.x;
    int base = blockIdx.x * ELEMENTS;
    for (int i = tid; i < ELEMENTS; i += THREADS)
        sums[i] = base + i < n ? in[base + i] : 0.0f;
    __syncthreads();

    for (int stride = 1; stride < ELEMENTS; stride *= 2) {
        int right = 2 * stride * (tid + 1) - 1;
        if (right < ELEMENTS)
            sums[right] += sums[right - stride];
        __syncthreads();
    }

    if (tid == 0)
        sums[ELEMENTS - 1] = 0.0f;
    __syncthreads();

    for (int stride = ELEMENTS / 2; stride > 0; stride /= 2) {
        int right = 2 * stride * (tid + 1) - 1;
        if (right < ELEMENTS) {
            float left_sum = sums[right - stride];
            sums[right - stride] = sums[right];
            sums[right] += left_sum;
        }
        __syncthreads();
    }

    for (int i = tid; i < ELEMENTS; i += THREADS)
        if (base + i < n)
            out[base + i] = sums[i];
}
