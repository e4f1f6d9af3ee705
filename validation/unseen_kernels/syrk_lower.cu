// C = A A' for its lower triangle: blocks above the diagonal leave at once.

constexpr int T = 64, BK = 16;

extern "C" __global__ void syrk_lower(const float* __restrict__ a, float* __restrict__ c, int n, int k)
{
    if (blockIdx.x > blockIdx.y) return;
    __shared__ float rows[BK][T + 4], cols[BK][T + 4];
    const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
    const int row0 = blockIdx.y * T, col0 = blockIdx.x * T;
    float sum[4][4] = {};
    for (int start = 0; start < k; start += BK) {
        const int r = t / 4, d = t % 4 * 4;
        const float4 u = *(const float4*)&a[(size_t)(row0 + r) * k + start + d];
        const float4 v = *(const float4*)&a[(size_t)(col0 + r) * k + start + d];
        rows[d][r] = u.x; rows[d + 1][r] = u.y; rows[d + 2][r] = u.z; rows[d + 3][r] = u.w;
        cols[d][r] = v.x; cols[d + 1][r] = v.y; cols[d + 2][r] = v.z; cols[d + 3][r] = v.w;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < BK; i++) {
            const float4 p = *(const float4*)&rows[i][4 * y], q = *(const float4*)&cols[i][4 * x];
            const float left[4] = {p.x, p.y, p.z, p.w}, right[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int g = 0; g < 4; g++)
#pragma unroll
                for (int h = 0; h < 4; h++) sum[g][h] += left[g] * right[h];
        }
        __syncthreads();
    }
    for (int g = 0; g < 4; g++)
        for (int h = 0; h < 4; h++) {
            const int row = row0 + 4 * y + g, col = col0 + 4 * x + h;
            if (col <= row) c[(size_t)row * n + col] = sum[g][h];
        }
}
