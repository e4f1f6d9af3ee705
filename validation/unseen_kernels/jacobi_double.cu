// A Jacobi step in float64 with a tile and its halo in shared memory; the block adds up its changes.

constexpr int WIDE = 32, HIGH = 8;

extern "C" __global__ void __launch_bounds__(WIDE * HIGH)
jacobi_double(const double* __restrict__ from, double* __restrict__ to, double* __restrict__ change, int width, int height)
{
    __shared__ double tile[HIGH + 2][WIDE + 2];
    __shared__ double parts[HIGH];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * WIDE + tx + 1, y = blockIdx.y * HIGH + ty + 1;
    const int pitch = width + 2;
    tile[ty + 1][tx + 1] = from[y * pitch + x];
    if (ty == 0) tile[0][tx + 1] = from[(y - 1) * pitch + x];
    if (ty == HIGH - 1) tile[HIGH + 1][tx + 1] = from[(y + 1) * pitch + x];
    if (tx == 0) tile[ty + 1][0] = from[y * pitch + x - 1];
    if (tx == WIDE - 1) tile[ty + 1][WIDE + 1] = from[y * pitch + x + 1];
    __syncthreads();
    const double value = 0.25 * (tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2]);
    to[y * pitch + x] = value;
    double far = fabs(value - tile[ty + 1][tx + 1]);
    for (int by = 16; by; by /= 2) far += __shfl_down_sync(~0u, far, by);
    if (tx == 0) parts[ty] = far;
    __syncthreads();
    if (tx == 0 && ty == 0) {
        for (int i = 1; i < HIGH; i++) far += parts[i];
        change[blockIdx.y * gridDim.x + blockIdx.x] = far;
    }
}
