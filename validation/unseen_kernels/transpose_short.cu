// Turns a matrix of 16-bit numbers: 64 x 64 tiles, two numbers a load and a store.

extern "C" __global__ void transpose_short(const ushort2* in, ushort2* out, int rows, int columns)
{
    __shared__ unsigned short tile[64][66];
    const int x = threadIdx.x, c = blockIdx.x * 64, r = blockIdx.y * 64;
    for (int y = threadIdx.y; y < 64; y += 8) {
        const ushort2 v = in[((size_t)(r + y) * columns + c) / 2 + x];
        tile[y][2 * x] = v.x;
        tile[y][2 * x + 1] = v.y;
    }
    __syncthreads();
    for (int y = threadIdx.y; y < 64; y += 8)
        out[((size_t)(c + y) * rows + r) / 2 + x] = make_ushort2(tile[2 * x][y], tile[2 * x + 1][y]);
}
