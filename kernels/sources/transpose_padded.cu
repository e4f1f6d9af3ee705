// transpose_tiled with one word of padding behind each row of the tile.
// Shows: a column now walks through all 32 banks: no conflicts, for 128 bytes more.

constexpr int TILE = 32;
constexpr int ROWS = 8;

extern "C" __global__ void transpose_padded(const float* in, float* out, int rows, int columns)
{
    __shared__ float tile[TILE][TILE + 1];

    int column = blockIdx.x * TILE + threadIdx.x;
    for (int step = 0; step < TILE; step += ROWS) {
        int i = threadIdx.y + step;
        int row = blockIdx.y * TILE + i;
        if (row < rows && column < columns)
            tile[i][threadIdx.x] = in[row * columns + column];
    }
    __syncthreads();

    int out_column = blockIdx.y * TILE + threadIdx.x;
    for (int step = 0; step < TILE; step += ROWS) {
        int i = threadIdx.y + step;
        int out_row = blockIdx.x * TILE + i;
        if (out_row < columns && out_column < rows)
            out[out_row * rows + out_column] = tile[threadIdx.x][i];
    }
}
