// Loss and gradient of a row of logits by one block in two passes, half precision in and out.
#include <cuda_fp16.h>

extern "C" __global__ void cross_entropy(
    const __half* __restrict__ logits, const unsigned char* __restrict__ label, float* __restrict__ loss,
    __half* __restrict__ grad, int classes)
{
    __shared__ float tops[32], sums[32];
    const int t = threadIdx.x, warps = blockDim.x / 32;
    const __half2* row = (const __half2*)(logits + (size_t)blockIdx.x * classes);
    float top = -1e30f, sum = 0;
    for (int i = t; i < classes / 2; i += blockDim.x) {
        const float2 x = __half22float2(row[i]);
        const float more = fmaxf(top, fmaxf(x.x, x.y));
        sum = sum * __expf(top - more) + __expf(x.x - more) + __expf(x.y - more);
        top = more;
    }
    for (int step = 16; step > 0; step /= 2) {
        const float t2 = __shfl_xor_sync(~0u, top, step), s2 = __shfl_xor_sync(~0u, sum, step);
        const float more = fmaxf(top, t2);
        sum = sum * __expf(top - more) + s2 * __expf(t2 - more);
        top = more;
    }
    if (t % 32 == 0) { tops[t / 32] = top; sums[t / 32] = sum; }
    __syncthreads();
    float best = -1e30f, all = 0;
    for (int i = 0; i < warps; i++) best = fmaxf(best, tops[i]);
    for (int i = 0; i < warps; i++) all += sums[i] * __expf(tops[i] - best);
    const float scale = __frcp_rn(all);
    const int wanted = label[blockIdx.x];
    if (t == 0) loss[blockIdx.x] = __logf(all) + best - __half2float(logits[(size_t)blockIdx.x * classes + wanted]);
    __half2* to = (__half2*)(grad + (size_t)blockIdx.x * classes);
    for (int i = t; i < classes / 2; i += blockDim.x) {
        const float2 x = __half22float2(row[i]);
        to[i] = __floats2half2_rn(__expf(x.x - best) * scale - (2 * i == wanted),
                                  __expf(x.y - best) * scale - (2 * i + 1 == wanted));
    }
}
