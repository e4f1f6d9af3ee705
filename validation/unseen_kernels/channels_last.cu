// Channels of float16 from planes to innermost: tiles of 64 channels by 32 pixels through shared memory.

#include <cuda_fp16.h>

extern "C" __global__ void channels_last(const __half* __restrict__ in, __half* __restrict__ out, int channels,
                                         int pixels)
{
    __shared__ __half tile[64][34];
    const int pixel0 = blockIdx.x * 32, channel0 = blockIdx.y * 64;
    const size_t image = (size_t)blockIdx.z * channels * pixels;
    const int x = threadIdx.x, y = threadIdx.y;
    for (int c = y; c < 64; c += 8)
        if (pixel0 + x < pixels && channel0 + c < channels)
            tile[c][x] = in[image + (size_t)(channel0 + c) * pixels + pixel0 + x];
    __syncthreads();
    for (int p = y; p < 32; p += 8) {
        const int channel = channel0 + 2 * x;
        if (pixel0 + p < pixels && channel < channels)
            *(__half2*)(out + image + (size_t)(pixel0 + p) * channels + channel) =
                __half2(tile[2 * x][p], tile[2 * x + 1][p]);
    }
}
