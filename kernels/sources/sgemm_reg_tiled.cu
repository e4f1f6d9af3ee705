// 2x2 neighbouring outputs a thread from a 32x32 block tile, the loop over the tile fully unrolled.
// Shows: register caching done right. Loads fill both tiles, a column piece of As and a row piece
// of Bs are read once into registers, and each output has one owner.

constexpr int TILE = 32;
constexpr int THREADS = 16;
constexpr int REG = TILE / THREADS;

extern "C" __global__ void sgemm_reg_tiled(const float* A, const float* B, float* C,
                                           int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int block_row = blockIdx.y * TILE;
    int block_col = blockIdx.x * TILE;

    float acc[REG][REG] = {};
    float a_reg[REG];
    float b_reg[REG];

    for (int k0 = 0; k0 < k; k0 += TILE) {
        #pragma unroll
        for (int i = 0; i < REG; ++i) {
            #pragma unroll
            for (int j = 0; j < REG; ++j) {
                int r = ty + i * THREADS;
                int c = tx + j * THREADS;
                int row = block_row + r;
                int col = block_col + c;
                As[r][c] = (row < m && k0 + c < k) ? A[row * k + k0 + c] : 0.0f;
                Bs[r][c] = (k0 + r < k && col < n) ? B[(k0 + r) * n + col] : 0.0f;
            }
        }
        __syncthreads();

        #pragma unroll
        for (int t = 0; t < TILE; ++t) {
            #pragma unroll
            for (int i = 0; i < REG; ++i) {
                a_reg[i] = As[REG * ty + i][t];
                b_reg[i] = Bs[t][REG * tx + i];
            }
            #pragma unroll
            for (int i = 0; i < REG; ++i)
                #pragma unroll
                for (int j = 0; j < REG; ++j)
                    acc[i][j] += a_reg[i] * b_reg[j];
        }
        __syncthreads();
    }

    #pragma unroll
    for (int i = 0; i < REG; ++i) {
        #pragma unroll
        for (int j = 0; j < REG; ++j) {
            int row = block_row + REG * ty + i;
            int col = block_col + REG * tx + j;
            if (row < m && col < n)
                C[row * n + col] = acc[i][j];
        }
    }
}
