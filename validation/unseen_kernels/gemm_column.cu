// Product of any size: 512 threads make 64 x 64 of C, a thread a column of eight, with one word of B for
// eight of A.

constexpr int BM = 64, BN = 64, BK = 8, TM = 8;

extern "C" __global__ void gemm_column(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ float as[BM][BK], bs[BK][BN];
    const int t = threadIdx.x, column = t % BN, part = t / BN;
    const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
    const int ar = row0 + t / BK, ac = t % BK, br = t / BN, bc = column0 + t % BN;
    float sum[TM] = {};
    for (int start = 0; start < k; start += BK) {
        as[t / BK][ac] = ar < m && start + ac < k ? a[(size_t)ar * k + start + ac] : 0.0f;
        bs[br][t % BN] = start + br < k && bc < n ? b[(size_t)(start + br) * n + bc] : 0.0f;
        __syncthreads();
        for (int d = 0; d < BK; d++) {
            const float y = bs[d][column];
            for (int i = 0; i < TM; i++) sum[i] += as[part * TM + i][d] * y;
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++) {
        const int row = row0 + part * TM + i;
        if (row < m && bc < n) c[(size_t)row * n + column0 + column] = sum[i];
    }
}
