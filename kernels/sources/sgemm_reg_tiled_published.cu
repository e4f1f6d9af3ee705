// A register-tiled SGEMM as it was published, mistakes included; do not use it to multiply.
// Shows: what checks must catch. 16x16 threads fill a quarter of each 32x32 tile, read the tiles
// up to index 255, and overlap their 16x16 outputs with those of their neighbours.

constexpr int TILE = 32;
constexpr int REG = 16;

extern "C" __global__ void sgemm_reg_tiled_published(const float* A, const float* B, float* C,
                                                     int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float acc[REG][REG] = {};
    float a_reg[REG];
    float b_reg[REG];

    for (int k0 = 0; k0 < k; k0 += TILE) {
        As[ty][tx] = A[row * k + k0 + tx];
        Bs[ty][tx] = B[(k0 + ty) * n + col];
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
    for (int i = 0; i < REG; ++i)
        #pragma unroll
        for (int j = 0; j < REG; ++j)
            C[(row + i) * n + col + j] = acc[i][j];
}
