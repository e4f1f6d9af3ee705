// Product with two buffers that asynchronous copies fill while the other is used (the pipeline
// primitives): 64 x 64 tiles, 256 threads, 4 x 4 sums each.

#include <cuda_pipeline.h>

constexpr int TILE = 64, STEP = 16;

__global__ void __launch_bounds__(256) gemm_async(const float* __restrict__ a, const float* __restrict__ b,
                                                  float* __restrict__ c, int m, int n, int k)
{
    __shared__ alignas(16) float as[2][TILE][STEP];
    __shared__ alignas(16) float bs[2][STEP][TILE];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const float* left = a + (size_t)(blockIdx.y * TILE + t / 4) * k + t % 4 * 4;
    const float* right = b + (size_t)(t / 16) * n + blockIdx.x * TILE + t % 16 * 4;
    float sum[4][4] = {};
    auto fetch = [&](int stage, int start) {
        __pipeline_memcpy_async(&as[stage][t / 4][t % 4 * 4], left + start, 16);
        __pipeline_memcpy_async(&bs[stage][t / 16][t % 16 * 4], right + (size_t)start * n, 16);
        __pipeline_commit();
    };
    fetch(0, 0);
    for (int start = 0, stage = 0; start < k; start += STEP, stage ^= 1) {
        if (start + STEP < k) {
            fetch(stage ^ 1, start + STEP);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < STEP; i++) {
            const float4 y = *reinterpret_cast<const float4*>(&bs[stage][i][tx * 4]);
#pragma unroll
            for (int r = 0; r < 4; r++) {
                const float x = as[stage][ty * 4 + r][i];
                sum[r][0] += x * y.x; sum[r][1] += x * y.y; sum[r][2] += x * y.z; sum[r][3] += x * y.w;
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        *reinterpret_cast<float4*>(&c[(size_t)(blockIdx.y * TILE + ty * 4 + r) * n + blockIdx.x * TILE + tx * 4]) =
            make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}
