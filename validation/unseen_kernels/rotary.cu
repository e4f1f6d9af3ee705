// Rotary positions of float16 queries, in place in halves of a head: angles by sincosf and exp2f, a
// block a token, heads of 128.

#include <cuda_fp16.h>

extern "C" __global__ void rotary(const __half* __restrict__ in, __half* __restrict__ out,
                                  const int* __restrict__ positions, int heads, float base)
{
    const int token = blockIdx.x;
    const float position = positions[token];
    for (int i = threadIdx.x; i < heads * 64; i += blockDim.x) {
        const int head = i / 64, d = i % 64;
        const size_t at = ((size_t)token * heads + head) * 128 + d;
        float sine, cosine;
        __sincosf(position * exp2f(-base * d), &sine, &cosine);
        const float x = __half2float(in[at]), y = __half2float(in[at + 64]);
        out[at] = __float2half(x * cosine - y * sine);
        out[at + 64] = __float2half(y * cosine + x * sine);
    }
}
