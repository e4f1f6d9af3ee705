// Product by blocks of 64 rows x 32 columns with 64 threads: a thread makes 8 x 4, columns of its
// own 8 apart, the left tile is padded, the next tiles wait in registers.

constexpr int BM = 64, BN = 32, BK = 16;

extern "C" __global__ void gemm_strip(
    const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k)
{
    __shared__ float as[BM][BK + 1], bs[BK][BN];
    const int t = threadIdx.x, tr = t / 8, tc = t % 8;
    const float* left = a + (size_t)(blockIdx.y * BM + t / 16) * k + t % 16;
    const float* right = b + (size_t)(t / 32) * n + blockIdx.x * BN + t % 32;
    float nextA[16], nextB[8], sum[8][4] = {};
#pragma unroll
    for (int i = 0; i < 16; i++) nextA[i] = left[(size_t)4 * i * k];
#pragma unroll
    for (int i = 0; i < 8; i++) nextB[i] = right[(size_t)2 * i * n];
    for (int start = 0; start < k; start += BK) {
#pragma unroll
        for (int i = 0; i < 16; i++) as[t / 16 + 4 * i][t % 16] = nextA[i];
#pragma unroll
        for (int i = 0; i < 8; i++) bs[t / 32 + 2 * i][t % 32] = nextB[i];
        __syncthreads();
        if (start + BK < k) {
            left += BK;
            right += (size_t)BK * n;
#pragma unroll
            for (int i = 0; i < 16; i++) nextA[i] = left[(size_t)4 * i * k];
#pragma unroll
            for (int i = 0; i < 8; i++) nextB[i] = right[(size_t)2 * i * n];
        }
#pragma unroll
        for (int d = 0; d < BK; d++) {
            float x[8], y[4];
#pragma unroll
            for (int i = 0; i < 8; i++) x[i] = as[tr + 8 * i][d];
#pragma unroll
            for (int j = 0; j < 4; j++) y[j] = bs[d][tc + 8 * j];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            c[(size_t)(blockIdx.y * BM + tr + 8 * i) * n + blockIdx.x * BN + tc + 8 * j] = sum[i][j];
}
