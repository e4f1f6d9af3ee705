// Product of 8-bit integers with 32-bit sums: rows of A times rows of B (transposed), four products an
// instruction, 64 x 64 tiles of 256 threads.

#define TILE 64
#define STEP 8

extern "C" __global__ void __launch_bounds__(256) gemm_dp4a(const int* a, const int* b, int* c, int m, int n, int words)
{
    __shared__ int as[STEP][TILE + 4], bs[STEP][TILE + 4];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    int sum[4][4] = {};
    for (int start = 0; start < words; start += STEP) {
        for (int i = t; i < TILE * STEP; i += 256) {
            as[i % STEP][i / STEP] = a[(size_t)(row + i / STEP) * words + start + i % STEP];
            bs[i % STEP][i / STEP] = b[(size_t)(column + i / STEP) * words + start + i % STEP];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < STEP; k++) {
            const int4 x = *reinterpret_cast<int4*>(&as[k][ty * 4]);
            const int4 y = *reinterpret_cast<int4*>(&bs[k][tx * 4]);
            const int left[4] = {x.x, x.y, x.z, x.w}, right[4] = {y.x, y.y, y.z, y.w};
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) sum[i][j] = __dp4a(left[i], right[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *reinterpret_cast<int4*>(&c[(size_t)(row + ty * 4 + i) * n + column + tx * 4]) =
            make_int4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
