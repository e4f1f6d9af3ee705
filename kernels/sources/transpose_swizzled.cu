// transpose_tiled with the column index XORed with the row index.
// Shows: the swizzle permutes each row so that rows and columns both touch 32 banks: no conflicts
// and no padding.

constexpr int TILE = 32;
constexpr int ROWS = 8;

extern "C" __global__ void transpose_swizzled(const float* in, float* out, int rows, int columns)
{
    __shared__ float tile[TILE][TILE];

    int column = blockIdx.x * TILE + threadIdx.x;
    for (int step = 0; step < TILE; step += ROWS) {
        int i = threadIdx.y + step;
        int row = blockIdx.y * TILE + i;
        if (row < rows && column < columns)
            tile[i][threadIdx.x ^ i] = in[row * columns + column];
    }
    __syncthreads();

    int out_column = blockIdx.y * TILE + threadIdx.x;
    for (int step = 0; step < TILE; step += ROWS) {
        int i = threadIdx.y + step;
        int out_row = blockIdx.x * TILE + i;
        if (out_row < columns && out_column < rows)
            out[out_row * rows + out_column] = tile[threadIdx.x][i ^ threadIdx.x];
    }
}
