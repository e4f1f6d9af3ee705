// Sums 256 elements a block with warp shuffles; shared memory carries one sum a warp.
// Shows: five shuffles replace five rounds of shared memory and barriers.

constexpr int BLOCK = 256;
constexpr int WARP = 32;
constexpr unsigned FULL = 0xffffffffu;

__device__ float warp_sum(float value)
{
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(FULL, value, offset);
    return value;
}

extern "C" __global__ void reduction_shuffle(const float* in, float* partial, int n)
{
    __shared__ float sums[BLOCK / WARP];

    int tid = threadIdx.x;
    int lane = tid % WARP;
    int warp = tid / WARP;
    int i = blockIdx.x * BLOCK + tid;

    float sum = warp_sum(i < n ? in[i] : 0.0f);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();

    if (warp == 0) {
        sum = warp_sum(lane < BLOCK / WARP ? sums[lane] : 0.0f);
        if (lane == 0)
            partial[blockIdx.x] = sum;
    }
}
