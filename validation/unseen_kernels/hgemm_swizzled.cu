// C = A * B in float16 with float32 sums and a float16 result: 128 threads make 64 x 64, 64 columns of A
// at a time by plain 16-byte loads one step ahead, rows of shared memory are swizzled instead of padded.

#include <cuda_fp16.h>

constexpr int BM = 64, BN = 64, BK = 64;

__device__ unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ int place(int row, int eight) { return row * BK + 8 * (eight ^ (row & 7)); }

extern "C" __global__ void __launch_bounds__(128)
hgemm_swizzled(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c, int m, int n, int k)
{
    __shared__ __align__(128) __half as[BM * BK], bs[BK * BN];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int row0 = BM * blockIdx.y, column0 = BN * blockIdx.x;
    const int row = 32 * (warp / 2), column = 32 * (warp % 2);
    uint4 nexta[4], nextb[4];
    float sum[2][4][4] = {};
    auto fetch = [&](int start) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int r = t / 8 + 16 * i, e = t % 8;
            nexta[i] = *(const uint4*)&a[(size_t)(row0 + r) * k + start + 8 * e];
            nextb[i] = *(const uint4*)&b[(size_t)(start + r) * n + column0 + 8 * e];
        }
    };
    fetch(0);
    for (int start = 0; start < k; start += BK) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int r = t / 8 + 16 * i, e = t % 8;
            *(uint4*)&as[place(r, e)] = nexta[i];
            *(uint4*)&bs[place(r, e)] = nextb[i];
        }
        __syncthreads();
        if (start + BK < k) fetch(start + BK);
#pragma unroll
        for (int d = 0; d < BK; d += 16) {
            unsigned x[2][4], y[2][4];
            for (int i = 0; i < 2; i++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                             : "=r"(x[i][0]), "=r"(x[i][1]), "=r"(x[i][2]), "=r"(x[i][3])
                             : "r"(address(&as[place(row + 16 * i + lane % 16, d / 8 + lane / 16)])));
            for (int j = 0; j < 2; j++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                             : "=r"(y[j][0]), "=r"(y[j][1]), "=r"(y[j][2]), "=r"(y[j][3])
                             : "r"(address(&bs[place(d + lane % 16, column / 8 + 2 * j + lane / 16)])));
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                                 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                                 : "+f"(sum[i][j][0]), "+f"(sum[i][j][1]), "+f"(sum[i][j][2]), "+f"(sum[i][j][3])
                                 : "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3]),
                                   "r"(y[j / 2][2 * (j % 2)]), "r"(y[j / 2][2 * (j % 2) + 1]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int h = 0; h < 2; h++) {
                const size_t r = row0 + row + 16 * i + 8 * h + lane / 4;
                *(__half2*)&c[r * n + column0 + column + 8 * j + 2 * (lane % 4)] =
                    __floats2half2_rn(sum[i][j][2 * h], sum[i][j][2 * h + 1]);
            }
}
