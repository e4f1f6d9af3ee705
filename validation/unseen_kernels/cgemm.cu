// Product of complex numbers of any size: 256 threads make 32 x 64 of C, 2 x 4 each.

constexpr int BM = 32, BN = 64, BK = 16, TM = 2, TN = 4;

extern "C" __global__ void cgemm(const float2* __restrict__ a, const float2* __restrict__ b, float2* __restrict__ c,
                                 int m, int n, int k)
{
    __shared__ float2 as[BM][BK + 1], bs[BK][BN];
    const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
    float2 sum[TM][TN] = {};
    for (int start = 0; start < k; start += BK) {
        for (int i = t; i < BM * BK; i += 256) {
            const int r = row0 + i / BK, d = start + i % BK;
            as[i / BK][i % BK] = r < m && d < k ? a[(size_t)r * k + d] : float2{0, 0};
        }
        for (int i = t; i < BK * BN; i += 256) {
            const int d = start + i / BN, q = column0 + i % BN;
            bs[i / BN][i % BN] = d < k && q < n ? b[(size_t)d * n + q] : float2{0, 0};
        }
        __syncthreads();
        for (int d = 0; d < BK; d++)
            for (int i = 0; i < TM; i++) {
                const float2 u = as[TM * y + i][d];
                for (int j = 0; j < TN; j++) {
                    const float2 v = bs[d][x + 16 * j];
                    sum[i][j].x += u.x * v.x - u.y * v.y;
                    sum[i][j].y += u.x * v.y + u.y * v.x;
                }
            }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) {
            const int r = row0 + TM * y + i, q = column0 + x + 16 * j;
            if (r < m && q < n) c[(size_t)r * n + q] = sum[i][j];
        }
}
