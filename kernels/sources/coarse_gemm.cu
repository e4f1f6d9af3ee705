// Four outputs a thread, in one row and 32 columns apart, with one A tile and one B tile in shared.
// Shows: thread coarsening reuses the A tile from global memory, but As is read again for each of
// the four column tiles, and every K tile passes eight barriers.

constexpr int TILE = 32;
constexpr int COARSE = 4;

extern "C" __global__ void coarse_gemm(const float* A, const float* B, float* C,
                                       int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int first_col = blockIdx.x * TILE * COARSE + tx;
    int tiles = (k + TILE - 1) / TILE;

    float acc[COARSE];
    for (int j = 0; j < COARSE; ++j)
        acc[j] = 0.0f;

    for (int i = 0; i < tiles; ++i) {
        int a_col = i * TILE + tx;
        int b_row = i * TILE + ty;
        As[ty][tx] = (row < m && a_col < k) ? A[row * k + a_col] : 0.0f;

        for (int j = 0; j < COARSE; ++j) {
            int col = first_col + j * TILE;
            Bs[ty][tx] = (b_row < k && col < n) ? B[b_row * n + col] : 0.0f;
            __syncthreads();

            for (int t = 0; t < TILE; ++t)
                acc[j] += As[ty][t] * Bs[t][tx];
            __syncthreads();
        }
    }

    for (int j = 0; j < COARSE; ++j) {
        int col = first_col + j * TILE;
        if (row < m && col < n)
            C[row * n + col] = acc[j];
    }
}
