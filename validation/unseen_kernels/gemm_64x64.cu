// C = A * B, row-major, sizes that the tiles divide: 256 threads make a 64 x 64 tile, 4 x 4 sums each,
// 16 columns of A at a time.

constexpr int BM = 64, BN = 64, BK = 16;

extern "C" __global__ void gemm_64x64(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ float as[BK][BM + 4];
    __shared__ float bs[BK][BN];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const float* a0 = a + (size_t)blockIdx.y * BM * k;
    const float* b0 = b + blockIdx.x * BN;
    float sums[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int i = t; i < BM * BK; i += 256) as[i % BK][i / BK] = a0[(i / BK) * k + k0 + i % BK];
        for (int i = t; i < BK * BN; i += 256) bs[i / BN][i % BN] = b0[(size_t)(k0 + i / BN) * n + i % BN];
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; kk++) {
            float4 x = *reinterpret_cast<const float4*>(&as[kk][4 * ty]);
            float4 y = *reinterpret_cast<const float4*>(&bs[kk][4 * tx]);
            float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sums[i][j] += xs[i] * ys[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        float4 row = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        size_t at = (size_t)(blockIdx.y * BM + 4 * ty + i) * n + blockIdx.x * BN + 4 * tx;
        *reinterpret_cast<float4*>(&c[at]) = row;
    }
}
