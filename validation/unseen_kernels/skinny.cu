// Eight vectors times a matrix whose rows a warp each reads once: Y (8 x n) = X (8 x k) W (n x k)^T.

extern "C" __global__ void skinny(const float4* __restrict__ x, const float4* __restrict__ w,
                                  float* __restrict__ y, int n, int quads)
{
    const int lane = threadIdx.x % 32, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= n) return;
    const float4* line = w + (size_t)row * quads;
    float sum[8] = {};
    for (int i = lane; i < quads; i += 32) {
        const float4 weight = line[i];
        for (int j = 0; j < 8; j++) {
            const float4 value = x[j * quads + i];
            sum[j] += weight.x * value.x + weight.y * value.y + weight.z * value.z + weight.w * value.w;
        }
    }
    for (int j = 0; j < 8; j++)
        for (int step = 16; step; step /= 2) sum[j] += __shfl_xor_sync(~0u, sum[j], step);
    if (lane < 8) {
        float mine = 0;
        for (int j = 0; j < 8; j++) mine = lane == j ? sum[j] : mine;
        y[(size_t)lane * n + row] = mine;
    }
}
