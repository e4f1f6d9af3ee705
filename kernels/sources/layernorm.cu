// Layer normalisation of each row, one block of 256 threads a row, two-pass variance.
// Shows: shuffles for the sums, shared memory only to pass eight of them between the warps.

constexpr int BLOCK = 256;
constexpr int WARP = 32;
constexpr int WARPS = BLOCK / WARP;
constexpr unsigned FULL = 0xffffffffu;

// The sum over the block, in every thread; scratch may be reused after the next barrier.
__device__ float block_sum(float value, float* scratch)
{
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        value += __shfl_xor_sync(FULL, value, offset);
    if (threadIdx.x % WARP == 0)
        scratch[threadIdx.x / WARP] = value;
    __syncthreads();

    float sum = 0.0f;
    for (int warp = 0; warp < WARPS; ++warp)
        sum += scratch[warp];
    return sum;
}

extern "C" __global__ void layernorm(const float* in, const float* gain, const float* bias,
                                     float* out, int columns, float epsilon)
{
    __shared__ float sums[WARPS];
    __shared__ float squares[WARPS];

    long long row = (long long)blockIdx.x * columns;

    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += BLOCK)
        sum += in[row + i];
    float mean = block_sum(sum, sums) / columns;

    float square = 0.0f;
    for (int i = threadIdx.x; i < columns; i += BLOCK) {
        float centred = in[row + i] - mean;
        square += centred * centred;
    }
    float scale = rsqrtf(block_sum(square, squares) / columns + epsilon);

    for (int i = threadIdx.x; i < columns; i += BLOCK)
        out[row + i] = (in[row + i] - mean) * scale * gain[i] + bias[i];
}
