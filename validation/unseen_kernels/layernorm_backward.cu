// Gradient of a layer norm: a block a row, two sums at once by shuffles, then the row again.

extern "C" __global__ void layernorm_backward(const float* dy, const float* x, const float* gamma, const float* mean,
                                              const float* inverse, float* dx, int columns)
{
    __shared__ float2 part[32];
    const size_t row = (size_t)blockIdx.x * columns;
    const float mu = mean[blockIdx.x], is = inverse[blockIdx.x];
    float a = 0, b = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        const float g = dy[row + i] * gamma[i];
        a += g;
        b += g * (x[row + i] - mu) * is;
    }
    for (int d = 16; d; d >>= 1) {
        a += __shfl_xor_sync(~0u, a, d);
        b += __shfl_xor_sync(~0u, b, d);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(a, b);
    __syncthreads();
    a = b = 0;
    for (int w = 0; w < blockDim.x / 32; w++) {
        a += part[w].x;
        b += part[w].y;
    }
    a /= columns;
    b /= columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        const float g = dy[row + i] * gamma[i], h = (x[row + i] - mu) * is;
        dx[row + i] = is * (g - a - h * b);
    }
}
