// Softmax of short rows: a warp a row, which stays in registers.

template <int EACH>
__device__ void work(const float* __restrict__ data, float* __restrict__ result, int rows)
{
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float* from = data + (size_t)row * EACH * 32;
    float v[EACH], most = -1e30f, sum = 0.0f;
#pragma unroll
    for (int i = 0; i < EACH; i++) { v[i] = from[lane + i * 32]; most = fmaxf(most, v[i]); }
#pragma unroll
    for (int far = 16; far; far /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, far));
#pragma unroll
    for (int i = 0; i < EACH; i++) { v[i] = expf(v[i] - most); sum += v[i]; }
#pragma unroll
    for (int far = 16; far; far /= 2) sum += __shfl_xor_sync(~0u, sum, far);
#pragma unroll
    for (int i = 0; i < EACH; i++) result[(size_t)row * EACH * 32 + lane + i * 32] = v[i] / sum;
}

extern "C" __global__ void softmax_warp(const float* data, float* result, int rows) { work<12>(data, result, rows); }
