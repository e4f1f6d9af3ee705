// One output a thread; 32x32 tiles of A and B are staged in shared memory.
// Shows: a warp is one row of the tile, so As[ty][j] is a broadcast and Bs[j][tx] one row of banks:
// free of conflicts, yet two shared reads for every multiply-add.

constexpr int TILE = 32;

extern "C" __global__ void tiled_gemm(const float* A, const float* B, float* C,
                                      int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    int tiles = (k + TILE - 1) / TILE;

    float acc = 0.0f;
    for (int i = 0; i < tiles; ++i) {
        int a_col = i * TILE + tx;
        int b_row = i * TILE + ty;
        As[ty][tx] = (row < m && a_col < k) ? A[row * k + a_col] : 0.0f;
        Bs[ty][tx] = (b_row < k && col < n) ? B[b_row * n + col] : 0.0f;
        __syncthreads();

        for (int j = 0; j < TILE; ++j)
            acc += As[ty][j] * Bs[j][tx];
        __syncthreads();
    }

    if (row < m && col < n)
        C[row * n + col] = acc;
}
