// RMS norm of rows of float16, eight values a thread and step, kept in registers between the passes.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
rmsnorm_half(const uint4* __restrict__ data, const uint4* __restrict__ scale, uint4* __restrict__ result,
             int eights, float small)
{
    __shared__ float parts[8];
    constexpr int MOST = 4;
    uint4 kept[MOST];
    const uint4* row = data + (size_t)blockIdx.x * eights;
    float squares = 0.0f;
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        const int at = threadIdx.x + i * 256;
        if (at < eights) {
            kept[i] = row[at];
            const half2* pair = reinterpret_cast<const half2*>(&kept[i]);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const float2 v = __half22float2(pair[j]);
                squares += v.x * v.x + v.y * v.y;
            }
        }
    }
    for (int far = 16; far; far /= 2) squares += __shfl_xor_sync(~0u, squares, far);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = squares;
    __syncthreads();
    squares = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) squares += parts[i];
    const float factor = rsqrtf(squares / (eights * 8) + small);
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        const int at = threadIdx.x + i * 256;
        if (at < eights) {
            const uint4 weights = scale[at];
            const half2* weight = reinterpret_cast<const half2*>(&weights);
            uint4 words;
            half2* out = reinterpret_cast<half2*>(&words);
            const half2* pair = reinterpret_cast<const half2*>(&kept[i]);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const float2 v = __half22float2(pair[j]), w = __half22float2(weight[j]);
                out[j] = __floats2half2_rn(v.x * factor * w.x, v.y * factor * w.y);
            }
            result[(size_t)blockIdx.x * eights + at] = words;
        }
    }
}
