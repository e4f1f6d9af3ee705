// tiled_gemm with two copies of each tile: the next one is loaded before the current one is used.
// Shows: one barrier a K tile instead of two, at twice the shared memory. The copies are ordinary
// loads and stores, so whether they hide behind the arithmetic is up to the compiler's schedule.

constexpr int TILE = 32;

extern "C" __global__ void double_buffer_gemm(const float* A, const float* B, float* C,
                                              int m, int n, int k)
{
    __shared__ float As[2][TILE][TILE];
    __shared__ float Bs[2][TILE][TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    int tiles = (k + TILE - 1) / TILE;

    As[0][ty][tx] = (row < m && tx < k) ? A[row * k + tx] : 0.0f;
    Bs[0][ty][tx] = (ty < k && col < n) ? B[ty * n + col] : 0.0f;
    __syncthreads();

    float acc = 0.0f;
    int next = 0;
    for (int i = 0; i < tiles; ++i) {
        int current = next;
        next = 1 - next;
        if (i + 1 < tiles) {
            int a_col = (i + 1) * TILE + tx;
            int b_row = (i + 1) * TILE + ty;
            As[next][ty][tx] = (row < m && a_col < k) ? A[row * k + a_col] : 0.0f;
            Bs[next][ty][tx] = (b_row < k && col < n) ? B[b_row * n + col] : 0.0f;
        }

        for (int j = 0; j < TILE; ++j)
            acc = fmaf(As[current][ty][j], Bs[current][j][tx], acc);
        __syncthreads();
    }

    if (row < m && col < n)
        C[row * n + col] = acc;
}
