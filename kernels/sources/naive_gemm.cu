// One output a thread straight from global memory: no tile, no reuse but what the caches give.
// Shows: the lanes of a half-warp share a row of A (one sector) and read 16 neighbours of B, so
// every multiply-add costs two global loads.

extern "C" __global__ void naive_gemm(const float* A, const float* B, float* C,
                                      int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n)
        return;

    float acc = 0.0f;
    for (int j = 0; j < k; ++j)
        acc += A[row * k + j] * B[j * n + col];
    C[row * n + col] = acc;
}
