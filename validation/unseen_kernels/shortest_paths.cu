// Last phase of a blocked Floyd-Warshall round: blocks of 64 x 64 of the distances take the shortest way
// over 32 pivots, 16 x 16 threads with 4 x 4 distances each.

extern "C" __global__ void shortest_paths(int* distance, int n, int pivot)
{
    __shared__ int rows[64][33], columns[32][64];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    const int y0 = blockIdx.y * 64, x0 = blockIdx.x * 64;
    if (y0 / 64 == pivot / 64 || x0 / 64 == pivot / 64) return;
    for (int i = t; i < 64 * 32; i += 256) {
        rows[i / 32][i % 32] = distance[(size_t)(y0 + i / 32) * n + pivot + i % 32];
        columns[i / 64][i % 64] = distance[(size_t)(pivot + i / 64) * n + x0 + i % 64];
    }
    int best[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) best[i][j] = distance[(size_t)(y0 + ty + 16 * i) * n + x0 + tx + 16 * j];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 32; k++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                best[i][j] = min(best[i][j], rows[ty + 16 * i][k] + columns[k][tx + 16 * j]);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) distance[(size_t)(y0 + ty + 16 * i) * n + x0 + tx + 16 * j] = best[i][j];
}
