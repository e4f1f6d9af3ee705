// Product of double matrices: 32 x 32 tiles of 256 threads, 2 x 2 sums each; ragged sizes are cut off.

__global__ void dgemm(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ c, int m, int n,
                      int k)
{
    __shared__ double as[16][33], bs[16][32];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int row = blockIdx.y * 32, column = blockIdx.x * 32;
    double s00 = 0, s01 = 0, s10 = 0, s11 = 0;
    for (int start = 0; start < k; start += 16) {
        for (int i = t; i < 512; i += 256) {
            const int ar = row + i / 16, ac = start + i % 16, br = start + i / 32, bc = column + i % 32;
            as[i % 16][i / 16] = ar < m && ac < k ? a[(size_t)ar * k + ac] : 0.0;
            bs[i / 32][i % 32] = br < k && bc < n ? b[(size_t)br * n + bc] : 0.0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            const double x0 = as[i][ty], x1 = as[i][ty + 16], y0 = bs[i][tx], y1 = bs[i][tx + 16];
            s00 += x0 * y0; s01 += x0 * y1; s10 += x1 * y0; s11 += x1 * y1;
        }
        __syncthreads();
    }
    const int r = row + ty, q = column + tx;
    if (r < m && q < n) c[(size_t)r * n + q] = s00;
    if (r < m && q + 16 < n) c[(size_t)r * n + q + 16] = s01;
    if (r + 16 < m && q < n) c[(size_t)(r + 16) * n + q] = s10;
    if (r + 16 < m && q + 16 < n) c[(size_t)(r + 16) * n + q + 16] = s11;
}
