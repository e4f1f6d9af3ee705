// Bilateral filter of 7x7 pixels: two exponentials and a division a neighbour, from shared memory.

constexpr int R = 3;

template <int BX, int BY>
__device__ float smooth(const float (&tile)[BY + 2 * R][BX + 2 * R], float space, float range)
{
    const float own = tile[threadIdx.y + R][threadIdx.x + R];
    float sum = 0, total = 0;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++) {
            const float v = tile[threadIdx.y + R + dy][threadIdx.x + R + dx], d = v - own;
            const float weight = expf(-(dx * dx + dy * dy) * space) * expf(-d * d * range);
            sum += weight * v;
            total += weight;
        }
    return sum / total;
}

extern "C" __global__ void bilateral(const float* in, float* out, int width, int height, float space, float range)
{
    __shared__ float tile[16 + 2 * R][16 + 2 * R];
    const int x0 = blockIdx.x * 16 - R, y0 = blockIdx.y * 16 - R;
    for (int y = threadIdx.y; y < 16 + 2 * R; y += 16)
        for (int x = threadIdx.x; x < 16 + 2 * R; x += 16) {
            const int gx = min(max(x0 + x, 0), width - 1), gy = min(max(y0 + y, 0), height - 1);
            tile[y][x] = in[(size_t)gy * width + gx];
        }
    __syncthreads();
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < width && y < height) out[(size_t)y * width + x] = smooth<16, 16>(tile, space, range);
}
