// y = GELU(x + bias) in half precision, eight numbers a thread, the approximation by tanh.

#include <cuda_fp16.h>

__global__ void gelu_half2(const uint4* __restrict__ x, const uint4* __restrict__ bias, uint4* __restrict__ y, int n,
                           int columns)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 in = x[i], add = bias[i % columns], out;
    const __half2* from = reinterpret_cast<const __half2*>(&in);
    const __half2* plus = reinterpret_cast<const __half2*>(&add);
    __half2* to = reinterpret_cast<__half2*>(&out);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const __half2 v = __hadd2(from[k], plus[k]);
        const float2 f = __half22float2(v);
        const float u = 0.7978845608f * f.x * (1.0f + 0.044715f * f.x * f.x);
        const float w = 0.7978845608f * f.y * (1.0f + 0.044715f * f.y * f.y);
        const __half2 t = __floats2half2_rn(tanhf(u), tanhf(w));
        to[k] = __hmul2(__hmul2(v, __float2half2_rn(0.5f)), __hadd2(t, __float2half2_rn(1.0f)));
    }
    y[i] = out;
}
