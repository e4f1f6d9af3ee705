// One query against all keys of its head, a block each: scores into shared memory, softmax over
// them, then the weighted sum of values. Keys and values are half precision.
#include <cuda_fp16.h>

extern "C" __global__ void attention_row(
    const float* __restrict__ query, const __half2* __restrict__ keys,
    const __half2* __restrict__ values, float* __restrict__ out, int length)
{
    extern __shared__ float score[];
    __shared__ float q[64], part[8], partial[256];
    const int t = threadIdx.x, head = blockIdx.x;
    const __half2* k = keys + (size_t)head * length * 32;
    const __half2* v = values + (size_t)head * length * 32;
    if (t < 64) q[t] = query[head * 64 + t];
    __syncthreads();
    float best = -1e30f;
    for (int row = t / 8; row < length; row += 32) {
        float dot = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float2 x = __half22float2(k[(size_t)row * 32 + t % 8 + 8 * i]);
            dot += x.x * q[2 * (t % 8 + 8 * i)] + x.y * q[2 * (t % 8 + 8 * i) + 1];
        }
        for (int step = 4; step > 0; step /= 2) dot += __shfl_xor_sync(~0u, dot, step);
        dot *= 0.125f;
        if (t % 8 == 0) score[row] = dot;
        best = fmaxf(best, dot);
    }
    for (int step = 16; step >= 8; step /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, step));
    if (t % 32 == 0) part[t / 32] = best;
    __syncthreads();
    for (int i = 0; i < 8; i++) best = fmaxf(best, part[i]);
    __syncthreads();
    float total = 0;
    for (int row = t; row < length; row += 256) {
        const float e = __expf(score[row] - best);
        score[row] = e;
        total += e;
    }
    for (int step = 16; step > 0; step /= 2) total += __shfl_xor_sync(~0u, total, step);
    if (t % 32 == 0) part[t / 32] = total;
    __syncthreads();
    total = 0;
    for (int i = 0; i < 8; i++) total += part[i];
    float2 sum = make_float2(0, 0);
    for (int row = t / 32; row < length; row += 8) {
        const float2 x = __half22float2(v[(size_t)row * 32 + t % 32]);
        sum.x += score[row] * x.x;
        sum.y += score[row] * x.y;
    }
    partial[t] = sum.x;
    __syncthreads();
    if (t < 32) {
        for (int i = 1; i < 8; i++) sum.x += partial[t + 32 * i];
        out[head * 64 + 2 * t] = __fdividef(sum.x, total);
    }
    __syncthreads();
    partial[t] = sum.y;
    __syncthreads();
    if (t < 32) {
        for (int i = 1; i < 8; i++) sum.y += partial[t + 32 * i];
        out[head * 64 + 2 * t + 1] = __fdividef(sum.y, total);
    }
}
