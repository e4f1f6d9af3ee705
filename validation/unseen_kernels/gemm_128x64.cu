// C = A * B, row-major, sizes that the tiles divide: 128 threads make a 128 x 64 tile, 8 x 8 sums each
// 16 apart, tiles of 8 columns of A fetched into registers one step ahead.

constexpr int BM = 128, BN = 64, BK = 8;

extern "C" __global__ void __launch_bounds__(128) gemm_128x64(const float* a, const float* b, float* c,
                                                              int m, int n, int k)
{
    __shared__ float as[BK][BM + 1];
    __shared__ float bs[BK][BN];
    int t = threadIdx.x, tx = t % 8, ty = t / 8;
    const float* a0 = a + (size_t)blockIdx.y * BM * k + (size_t)(t % BM) * k;
    const float* b0 = b + blockIdx.x * BN + (size_t)(t / 16) * n + 4 * (t % 16);
    float4 a1 = *reinterpret_cast<const float4*>(a0), a2 = *reinterpret_cast<const float4*>(a0 + 4);
    float4 b1 = *reinterpret_cast<const float4*>(b0);
    float sums[8][8] = {};
    for (int k0 = 0; k0 < k; k0 += BK) {
        as[0][t] = a1.x; as[1][t] = a1.y; as[2][t] = a1.z; as[3][t] = a1.w;
        as[4][t] = a2.x; as[5][t] = a2.y; as[6][t] = a2.z; as[7][t] = a2.w;
        *reinterpret_cast<float4*>(&bs[t / 16][4 * (t % 16)]) = b1;
        __syncthreads();
        if (k0 + BK < k) {
            a1 = *reinterpret_cast<const float4*>(a0 + k0 + BK);
            a2 = *reinterpret_cast<const float4*>(a0 + k0 + BK + 4);
            b1 = *reinterpret_cast<const float4*>(b0 + (size_t)(k0 + BK) * n);
        }
#pragma unroll
        for (int kk = 0; kk < BK; kk++) {
            float x[8], y[8];
            for (int i = 0; i < 8; i++) x[i] = as[kk][ty + 16 * i];
            for (int j = 0; j < 8; j++) y[j] = bs[kk][tx + 8 * j];
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++) sums[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            c[(size_t)(blockIdx.y * BM + ty + 16 * i) * n + blockIdx.x * BN + tx + 8 * j] = sums[i][j];
}
