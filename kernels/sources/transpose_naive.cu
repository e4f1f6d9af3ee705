// Transposes a matrix without shared memory; 32x8 threads move a 32x32 tile.
// Shows: the reads are coalesced, every store touches 32 different sectors.

constexpr int TILE = 32;
constexpr int ROWS = 8;

extern "C" __global__ void transpose_naive(const float* in, float* out, int rows, int columns)
{
    int column = blockIdx.x * TILE + threadIdx.x;
    for (int step = 0; step < TILE; step += ROWS) {
        int i = threadIdx.y + step;
        int row = blockIdx.y * TILE + i;
        if (row < rows && column < columns)
            out[column * rows + row] = in[row * columns + column];
    }
}
