// Product in tf32 on the tensor cores, WMMA fragments of 16 x 16 x 8 straight from global memory: a warp
// makes 32 x 16, four warps a block.

#include <mma.h>
using namespace nvcuda;

__global__ void wmma_tf32(const float* a, const float* b, float* c, int m, int n, int k)
{
    const int warp = threadIdx.x / 32;
    const int row = blockIdx.y * 64 + warp / 2 * 32, column = blockIdx.x * 32 + warp % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum[2];
    wmma::fill_fragment(sum[0], 0.0f);
    wmma::fill_fragment(sum[1], 0.0f);
    for (int s = 0; s < k; s += 8) {
        wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
        wmma::load_matrix_sync(right, b + (size_t)s * n + column, n);
        for (float& x : right.x) x = wmma::__float_to_tf32(x);
        for (int i = 0; i < 2; i++) {
            wmma::load_matrix_sync(left[i], a + (size_t)(row + 16 * i) * k + s, k);
            for (float& x : left[i].x) x = wmma::__float_to_tf32(x);
            wmma::mma_sync(sum[i], left[i], right, sum[i]);
        }
    }
    for (int i = 0; i < 2; i++)
        wmma::store_matrix_sync(c + (size_t)(row + 16 * i) * n + column, sum[i], n, wmma::mem_row_major);
}
