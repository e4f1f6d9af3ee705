// One output a thread from the 32x32 tiles of sgemm_reg_tiled, the loop over the tile unrolled.
// Shows: the plain counterpart of sgemm_reg_tiled, to compare instruction counts and shared reads
// with: every multiply-add reads both of its factors from shared memory.

constexpr int TILE = 32;

extern "C" __global__ void sgemm_shared_naive(const float* A, const float* B, float* C,
                                              int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float acc = 0.0f;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        As[ty][tx] = (row < m && k0 + tx < k) ? A[row * k + k0 + tx] : 0.0f;
        Bs[ty][tx] = (k0 + ty < k && col < n) ? B[(k0 + ty) * n + col] : 0.0f;
        __syncthreads();

        #pragma unroll
        for (int t = 0; t < TILE; ++t)
            acc += As[ty][t] * Bs[t][tx];
        __syncthreads();
    }

    if (row < m && col < n)
        C[row * n + col] = acc;
}
