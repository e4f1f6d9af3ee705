// Cholesky factors of matrices of 32 x 32 with 64 added to the diagonal, a warp a matrix, a lane a row in registers.

extern "C" __global__ void __launch_bounds__(128) cholesky(const float* __restrict__ in, float* __restrict__ out,
                                                           int count)
{
    const int lane = threadIdx.x % 32, matrix = blockIdx.x * 4 + threadIdx.x / 32;
    if (matrix >= count) return;
    __shared__ float stage[4][32][33];
    float (*mine)[33] = stage[threadIdx.x / 32];
    for (int r = 0; r < 32; r++) mine[r][lane] = in[(size_t)matrix * 1024 + 32 * r + lane];
    __syncwarp();
    float row[32];
#pragma unroll
    for (int c = 0; c < 32; c++) row[c] = mine[lane][c] + (c == lane ? 64.0f : 0.0f);
#pragma unroll
    for (int k = 0; k < 32; k++) {
        const float pivot = rsqrtf(__shfl_sync(~0u, row[k], k));
        row[k] *= pivot;
#pragma unroll
        for (int c = k + 1; c < 32; c++) row[c] -= row[k] * __shfl_sync(~0u, row[k], c);
    }
    __syncwarp();
#pragma unroll
    for (int c = 0; c < 32; c++) mine[lane][c] = c <= lane ? row[c] : 0.0f;
    __syncwarp();
    for (int r = 0; r < 32; r++) out[(size_t)matrix * 1024 + 32 * r + lane] = mine[r][lane];
}
