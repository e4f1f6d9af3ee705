// C = A^T * B for A of k x m and B of k x n: 64 x 64 a block of 256 threads, 4 x 4 a thread, both tiles
// come in rows of four words and are read from shared memory in fours.

constexpr int TILE = 64, DEPTH = 16;

extern "C" __global__ void __launch_bounds__(256)
gemm_tn(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k)
{
    __shared__ float4 as[DEPTH][TILE / 4], bs[DEPTH][TILE / 4];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sum[4][4] = {};
    for (int start = 0; start < k; start += DEPTH) {
        as[ty][tx] = *(const float4*)&a[(size_t)(start + ty) * m + row + 4 * tx];
        bs[ty][tx] = *(const float4*)&b[(size_t)(start + ty) * n + column + 4 * tx];
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            const float4 x = as[d][ty], y = bs[d][tx];
            const float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sum[i][j] = fmaf(xs[i], ys[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *(float4*)&c[(size_t)(row + 4 * ty + i) * n + column + 4 * tx] =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
