// 3 x 3 convolution of each channel by itself on float16, channels last: a thread takes two channels of
// four neighbouring columns.

#include <cuda_fp16.h>

extern "C" __global__ void depthwise(const __half2* __restrict__ in, const __half2* __restrict__ weights,
                                     __half2* __restrict__ out, int height, int width, int pairs)
{
    const int pair = blockIdx.x * blockDim.x + threadIdx.x;
    const int x0 = 4 * (blockIdx.y * blockDim.y + threadIdx.y), y = blockIdx.z;
    if (pair >= pairs || x0 >= width) return;
    float2 sum[4] = {};
    for (int dy = -1; dy <= 1; dy++) {
        if (y + dy < 0 || y + dy >= height) continue;
        const __half2* line = in + (size_t)(y + dy) * width * pairs + pair;
        float2 w[3], v[6];
        for (int dx = 0; dx < 3; dx++) w[dx] = __half22float2(weights[(3 * (dy + 1) + dx) * pairs + pair]);
        for (int i = 0; i < 6; i++) {
            const int x = x0 + i - 1;
            v[i] = x >= 0 && x < width ? __half22float2(line[(size_t)x * pairs]) : make_float2(0, 0);
        }
        for (int i = 0; i < 4; i++)
            for (int dx = 0; dx < 3; dx++) {
                sum[i].x += w[dx].x * v[i + dx].x;
                sum[i].y += w[dx].y * v[i + dx].y;
            }
    }
    for (int i = 0; i < 4; i++)
        if (x0 + i < width) out[((size_t)y * width + x0 + i) * pairs + pair] = __float22half2_rn(sum[i]);
}
