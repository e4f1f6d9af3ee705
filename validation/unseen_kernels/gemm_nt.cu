// relu(A B^T + bias), both operands with k innermost: 256 threads make 128 x 64 of C, 8 x 4 each, the next
// slices of k wait in registers.

constexpr int BM = 128, BN = 64, BK = 16, TM = 8, TN = 4, PAD = 4;

extern "C" __global__ void __launch_bounds__(256)
gemm_nt(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ bias,
        float* __restrict__ c, int m, int n, int k)
{
    __shared__ float as[BK][BM + PAD], bs[BK][BN + PAD];
    const int t = threadIdx.x, row = t / 4, part = 4 * (t % 4);
    const int tr = t / (BN / TN) * TM, tc = t % (BN / TN) * TN;
    const float* from_a = a + (size_t)(blockIdx.y * BM + row) * k + part;
    const float* from_b = b + (size_t)(blockIdx.x * BN + row) * k + part;
    float4 next_a[2] = {*(const float4*)from_a, *(const float4*)(from_a + (size_t)64 * k)};
    float4 next_b = *(const float4*)from_b;
    float sum[TM][TN] = {};
    for (int start = 0; start < k; start += BK) {
        for (int half = 0; half < 2; half++) {
            const float* value = (const float*)&next_a[half];
            for (int i = 0; i < 4; i++) as[part + i][row + 64 * half] = value[i];
        }
        for (int i = 0; i < 4; i++) bs[part + i][row] = ((const float*)&next_b)[i];
        __syncthreads();
        if (start + BK < k) {
            from_a += BK;
            from_b += BK;
            next_a[0] = *(const float4*)from_a;
            next_a[1] = *(const float4*)(from_a + (size_t)64 * k);
            next_b = *(const float4*)from_b;
        }
#pragma unroll
        for (int d = 0; d < BK; d++) {
            float x[TM], y[TN];
            for (int i = 0; i < TM; i++) x[i] = as[d][tr + i];
            for (int j = 0; j < TN; j++) y[j] = bs[d][tc + j];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    const int column = blockIdx.x * BN + tc;
    const float4 add = *(const float4*)(bias + column);
    for (int i = 0; i < TM; i++) {
        float4 out = {fmaxf(sum[i][0] + add.x, 0), fmaxf(sum[i][1] + add.y, 0),
                      fmaxf(sum[i][2] + add.z, 0), fmaxf(sum[i][3] + add.w, 0)};
        *(float4*)(c + (size_t)(blockIdx.y * BM + tr + i) * n + column) = out;
    }
}
