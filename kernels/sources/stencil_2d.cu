// A 5-point stencil over a matrix, zero beyond its edges; 32x8 outputs a block.
// Shows: a 34x10 shared tile with halo, filled by all threads in a linear walk; the rows of 34
// words shift the banks from row to row, which costs nothing because a warp reads along one row.

constexpr int WIDTH = 32;
constexpr int HEIGHT = 8;
constexpr int TILE_WIDTH = WIDTH + 2;
constexpr int TILE_SIZE = TILE_WIDTH * (HEIGHT + 2);

extern "C" __global__ void stencil_2d(const float* in, float* out, int rows, int columns,
                                      float centre, float side)
{
    __shared__ float tile[TILE_SIZE];

    int first_row = blockIdx.y * HEIGHT - 1;
    int first_column = blockIdx.x * WIDTH - 1;
    int tid = threadIdx.y * WIDTH + threadIdx.x;
    for (int i = tid; i < TILE_SIZE; i += WIDTH * HEIGHT) {
        int row = first_row + i / TILE_WIDTH;
        int column = first_column + i % TILE_WIDTH;
        bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
        tile[i] = inside ? in[row * columns + column] : 0.0f;
    }
    __syncthreads();

    int row = blockIdx.y * HEIGHT + threadIdx.y;
    int column = blockIdx.x * WIDTH + threadIdx.x;
    if (row < rows && column < columns) {
        const float* here = &tile[(threadIdx.y + 1) * TILE_WIDTH + threadIdx.x + 1];
        float around = here[-TILE_WIDTH] + here[TILE_WIDTH] + here[-1] + here[1];
        out[row * columns + column] = centre * here[0] + side * around;
    }
}
