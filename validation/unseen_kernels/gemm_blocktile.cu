// Product of any size by blocks of 128 x 128 with 256 threads: a thread makes 8 x 8 neighbours, all
// loads are single words, edges are guarded.

constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;

extern "C" __global__ void gemm_blocktile(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ float as[BM * BK], bs[BK * BN];
    const int t = threadIdx.x, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int tr = t / (BN / TN) * TM, tc = t % (BN / TN) * TN;
    float sum[TM][TN] = {}, x[TM], y[TN];
    for (int start = 0; start < k; start += BK) {
        for (int i = t; i < BM * BK; i += 256) {
            const int row = row0 + i / BK, col = start + i % BK;
            as[i] = row < m && col < k ? a[(size_t)row * k + col] : 0.0f;
        }
        for (int i = t; i < BK * BN; i += 256) {
            const int row = start + i / BN, col = col0 + i % BN;
            bs[i] = row < k && col < n ? b[(size_t)row * n + col] : 0.0f;
        }
        __syncthreads();
        for (int d = 0; d < BK; d++) {
            for (int i = 0; i < TM; i++) x[i] = as[(tr + i) * BK + d];
            for (int j = 0; j < TN; j++) y[j] = bs[d * BN + tc + j];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            if (row0 + tr + i < m && col0 + tc + j < n)
                c[(size_t)(row0 + tr + i) * n + col0 + tc + j] = sum[i][j];
}
