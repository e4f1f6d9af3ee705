// Game of life on bytes: a thread makes four cells of a row from words of shared memory.

constexpr int W = 32, H = 8;

extern "C" __global__ void life(const unsigned* __restrict__ in, unsigned* __restrict__ out, int words, int rows)
{
    __shared__ unsigned tile[H + 2][W + 2];
    const int left = blockIdx.x * W - 1, top = blockIdx.y * H - 1;
    for (int i = threadIdx.y * W + threadIdx.x; i < (H + 2) * (W + 2); i += W * H) {
        const int x = left + i % (W + 2), y = top + i / (W + 2);
        tile[i / (W + 2)][i % (W + 2)] =
            x >= 0 && x < words && y >= 0 && y < rows ? in[(size_t)y * words + x] & 0x01010101u : 0u;
    }
    __syncthreads();
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    unsigned count = 0, own = tile[y][x];
    for (int d = -1; d <= 1; d++) {
        const unsigned before = tile[y + d][x - 1], here = tile[y + d][x], after = tile[y + d][x + 1];
        count += __funnelshift_r(before, here, 24) + __funnelshift_r(here, after, 8);
        if (d != 0) count += here;
    }
    const unsigned two = __vcmpeq4(count, 0x02020202u), three = __vcmpeq4(count, 0x03030303u);
    const int column = blockIdx.x * W + threadIdx.x, row = blockIdx.y * H + threadIdx.y;
    if (column < words && row < rows)
        out[(size_t)row * words + column] = (three | (two & (own * 255u))) & 0x01010101u;
}
