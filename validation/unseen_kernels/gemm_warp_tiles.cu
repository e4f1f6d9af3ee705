// Product with tiles of warps: a block of 128 threads makes 128 x 64, a warp 64 x 32, a thread 8 x 8
// in two by two groups. The left tile is stored transposed.

constexpr int BM = 128, BN = 64, BK = 16, WM = 64, WN = 32;

extern "C" __global__ void __launch_bounds__(128)
gemm_warp_tiles(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k)
{
    __shared__ float as[BK][BM + 4];
    __shared__ float bs[BK][BN];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const int row0 = warp / 2 * WM + lane / 4 * 4, col0 = warp % 2 * WN + lane % 4 * 4;
    const float* left = a + (size_t)blockIdx.y * BM * k;
    const float* right = b + blockIdx.x * BN;
    float sum[8][8] = {};
    for (int start = 0; start < k; start += BK) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int row = t / 4 + i * 32, col = t % 4 * 4;
            const float4 v = *reinterpret_cast<const float4*>(&left[(size_t)row * k + start + col]);
            as[col][row] = v.x; as[col + 1][row] = v.y; as[col + 2][row] = v.z; as[col + 3][row] = v.w;
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int row = t / 16 + i * 8, col = t % 16 * 4;
            *reinterpret_cast<float4*>(&bs[row][col]) =
                *reinterpret_cast<const float4*>(&right[(size_t)(start + row) * n + col]);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < BK; i++) {
            float x[8], y[8];
#pragma unroll
            for (int r = 0; r < 8; r++) x[r] = as[i][row0 + r / 4 * 32 + r % 4];
#pragma unroll
            for (int s = 0; s < 8; s++) y[s] = bs[i][col0 + s / 4 * 16 + s % 4];
#pragma unroll
            for (int r = 0; r < 8; r++)
#pragma unroll
                for (int s = 0; s < 8; s++) sum[r][s] += x[r] * y[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; r++)
        for (int h = 0; h < 2; h++) {
            const size_t row = (size_t)blockIdx.y * BM + row0 + r / 4 * 32 + r % 4;
            *reinterpret_cast<float4*>(&c[row * n + blockIdx.x * BN + col0 + h * 16]) =
                make_float4(sum[r][h * 4], sum[r][h * 4 + 1], sum[r][h * 4 + 2], sum[r][h * 4 + 3]);
        }
}
