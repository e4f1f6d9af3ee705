// Mean and variance of every channel of a batch of images, a block a channel.

extern "C" __global__ void __launch_bounds__(512) channel_stats(const float4* __restrict__ in,
                                                                float2* __restrict__ out, int images, int channels,
                                                                int quads)
{
    __shared__ float2 partial[16];
    float sum = 0, squares = 0;
    for (int image = 0; image < images; image++) {
        const float4* plane = in + ((size_t)image * channels + blockIdx.x) * quads;
        for (int i = threadIdx.x; i < quads; i += 512) {
            const float4 v = plane[i];
            sum += v.x + v.y + v.z + v.w;
            squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        }
    }
    for (int step = 16; step; step /= 2) {
        sum += __shfl_down_sync(~0u, sum, step);
        squares += __shfl_down_sync(~0u, squares, step);
    }
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = float2{sum, squares};
    __syncthreads();
    if (threadIdx.x < 16) {
        float2 v = partial[threadIdx.x];
        for (int step = 8; step; step /= 2) {
            v.x += __shfl_down_sync(0xFFFF, v.x, step);
            v.y += __shfl_down_sync(0xFFFF, v.y, step);
        }
        if (threadIdx.x == 0) {
            const float scale = 1.0f / (4.0f * images * quads), mean = v.x * scale;
            out[blockIdx.x] = float2{mean, v.y * scale - mean * mean};
        }
    }
}
