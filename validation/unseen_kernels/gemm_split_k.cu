// Product whose sums are split over blockIdx.z: 32 x 32 tiles, 64 threads, 4 x 4 sums each, added to
// the result with atomics.

constexpr int TILE = 32, STEP = 32;

extern "C" __global__ void __launch_bounds__(64)
gemm_split_k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k)
{
    __shared__ float as[TILE][STEP + 1], bs[STEP][TILE];
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE, share = k / gridDim.z;
    float sum[4][4] = {};
    for (int start = blockIdx.z * share; start < (blockIdx.z + 1) * share; start += STEP) {
        for (int i = threadIdx.x; i < TILE * STEP; i += 64) {
            const int r = i / 32, s = i % 32;
            as[r][s] = row0 + r < m ? a[(size_t)(row0 + r) * k + start + s] : 0.0f;
            bs[r][s] = col0 + s < n ? b[(size_t)(start + r) * n + col0 + s] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < STEP; i++) {
            float x[4], y[4];
            for (int r = 0; r < 4; r++) { x[r] = as[ty + 8 * r][i]; y[r] = bs[i][tx + 8 * r]; }
            for (int r = 0; r < 4; r++)
                for (int s = 0; s < 4; s++) sum[r][s] += x[r] * y[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        for (int s = 0; s < 4; s++)
            if (row0 + ty + 8 * r < m && col0 + tx + 8 * s < n)
                atomicAdd(&c[(size_t)(row0 + ty + 8 * r) * n + col0 + tx + 8 * s], sum[r][s]);
}
