// Product of bfloat16 matrices on the tensor cores through the WMMA interface: four warps, each 32 x 32
// of a 64 x 64 tile; float32 comes in and is rounded on its way to shared memory.

#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

constexpr int TILE = 64, STEP = 32, PITCH = STEP + 8;

__global__ void __launch_bounds__(128) wmma_bf16(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ __nv_bfloat16 as[TILE][PITCH], bs[TILE][PITCH];
    const int warp = threadIdx.x / 32, row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    const int wr = warp / 2 * 32, wc = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(sum[i][j], 0.0f);
    for (int start = 0; start < k; start += STEP) {
        for (int i = threadIdx.x; i < TILE * STEP / 4; i += 128) {
            const int r = i / (STEP / 4), q = i % (STEP / 4) * 4;
            const float4 x = *reinterpret_cast<const float4*>(&a[(size_t)(row + r) * k + start + q]);
            const float4 y = *reinterpret_cast<const float4*>(&b[(size_t)(column + r) * k + start + q]);
            *reinterpret_cast<__nv_bfloat162*>(&as[r][q]) = __floats2bfloat162_rn(x.x, x.y);
            *reinterpret_cast<__nv_bfloat162*>(&as[r][q + 2]) = __floats2bfloat162_rn(x.z, x.w);
            *reinterpret_cast<__nv_bfloat162*>(&bs[r][q]) = __floats2bfloat162_rn(y.x, y.y);
            *reinterpret_cast<__nv_bfloat162*>(&bs[r][q + 2]) = __floats2bfloat162_rn(y.z, y.w);
        }
        __syncthreads();
        for (int s = 0; s < STEP; s += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> left[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> right[2];
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(left[i], &as[wr + 16 * i][s], PITCH);
                wmma::load_matrix_sync(right[i], &bs[wc + 16 * i][s], PITCH);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) wmma::mma_sync(sum[i][j], left[i], right[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(&c[(size_t)(row + wr + 16 * i) * n + column + wc + 16 * j], sum[i][j], n,
                                    wmma::mem_row_major);
}
