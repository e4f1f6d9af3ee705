// Edges of an image of bytes with a tile and its halo in shared memory, four points a thread.

extern "C" __global__ void __launch_bounds__(256)
sobel(const unsigned char* __restrict__ image, unsigned char* __restrict__ result, int width, int height)
{
    __shared__ unsigned char tile[18][64 + 8];
    const int x0 = blockIdx.x * 64, y0 = blockIdx.y * 16, t = threadIdx.y * 16 + threadIdx.x;
    for (int i = t; i < 18 * 66; i += 256) {
        const int y = min(max(y0 + i / 66 - 1, 0), height - 1), x = min(max(x0 + i % 66 - 1, 0), width - 1);
        tile[i / 66][i % 66] = image[(size_t)y * width + x];
    }
    __syncthreads();
    const int y = y0 + threadIdx.y;
    if (y >= height) return;
    for (int i = 0; i < 4; i++) {
        const int x = threadIdx.x + 16 * i;
        if (x0 + x >= width) return;
        const unsigned char *up = &tile[threadIdx.y][x], *here = &tile[threadIdx.y + 1][x], *down = &tile[threadIdx.y + 2][x];
        const int gx = up[2] + 2 * here[2] + down[2] - up[0] - 2 * here[0] - down[0];
        const int gy = down[0] + 2 * down[1] + down[2] - up[0] - 2 * up[1] - up[2];
        result[(size_t)y * width + x0 + x] = min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
    }
}
