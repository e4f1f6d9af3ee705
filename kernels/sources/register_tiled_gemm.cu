// 16 outputs a thread, 32 apart in both directions, from a 128x128 block tile with K step 32.
// Shows: eight shared reads feed sixteen multiply-adds, broadcasts of As and whole rows of Bs
// without conflicts; at 1024x1024 only 64 blocks are launched.

constexpr int TILE = 32;
constexpr int PER_THREAD = 4;
constexpr int BLOCK_TILE = TILE * PER_THREAD;

extern "C" __global__ void register_tiled_gemm(const float* A, const float* B, float* C,
                                               int m, int n, int k)
{
    __shared__ float As[BLOCK_TILE][TILE];
    __shared__ float Bs[TILE][BLOCK_TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int first_row = blockIdx.y * BLOCK_TILE + ty;
    int first_col = blockIdx.x * BLOCK_TILE + tx;
    int tiles = (k + TILE - 1) / TILE;

    float acc[PER_THREAD][PER_THREAD];
    for (int i = 0; i < PER_THREAD; ++i)
        for (int j = 0; j < PER_THREAD; ++j)
            acc[i][j] = 0.0f;

    for (int tile = 0; tile < tiles; ++tile) {
        int a_col = tile * TILE + tx;
        int b_row = tile * TILE + ty;
        for (int i = 0; i < PER_THREAD; ++i) {
            int row = first_row + i * TILE;
            As[ty + i * TILE][tx] = (row < m && a_col < k) ? A[row * k + a_col] : 0.0f;
        }
        for (int j = 0; j < PER_THREAD; ++j) {
            int col = first_col + j * TILE;
            Bs[ty][tx + j * TILE] = (b_row < k && col < n) ? B[b_row * n + col] : 0.0f;
        }
        __syncthreads();

        for (int t = 0; t < TILE; ++t)
            for (int i = 0; i < PER_THREAD; ++i)
                for (int j = 0; j < PER_THREAD; ++j)
                    acc[i][j] = fmaf(As[ty + i * TILE][t], Bs[t][tx + j * TILE], acc[i][j]);
        __syncthreads();
    }

    for (int i = 0; i < PER_THREAD; ++i) {
        for (int j = 0; j < PER_THREAD; ++j) {
            int row = first_row + i * TILE;
            int col = first_col + j * TILE;
            if (row < m && col < n)
                C[row * n + col] = acc[i][j];
        }
    }
}
