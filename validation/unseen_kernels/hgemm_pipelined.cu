// C = A * B in float16 with float32 sums: 256 threads make a 128 x 64 tile, 32 columns of A at a time,
// two stages of asynchronous copies, matrix loads, mma.m16n8k16.

#include <cuda_fp16.h>

constexpr int BM = 128, BN = 64, BK = 32, PAD = 8;

__device__ unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ void copy(void* to, const void* from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(to)), "l"(from));
}
__device__ void load(unsigned (&r)[4], const void* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address(row)));
}
__device__ void load_turned(unsigned (&r)[4], const void* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address(row)));
}
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void hgemm_pipelined(const __half* a, const __half* b, float* c, int m, int n, int k)
{
    __shared__ __align__(16) __half as[2][BM][BK + PAD];
    __shared__ __align__(16) __half bs[2][BK][BN + PAD];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int row0 = BM * blockIdx.y, column0 = BN * blockIdx.x, row = 32 * (warp / 2), column = 32 * (warp % 2);
    const __half* a0 = a + (size_t)(row0 + t / 4) * k + 8 * (t % 4);
    const __half* b0 = b + (size_t)(t / 8) * n + column0 + 8 * (t % 8);
    float sums[2][4][4] = {};
    auto fetch = [&](int stage, int k0) {
        copy(&as[stage][t / 4][8 * (t % 4)], a0 + k0);
        copy(&as[stage][t / 4 + 64][8 * (t % 4)], a0 + (size_t)64 * k + k0);
        copy(&bs[stage][t / 8][8 * (t % 8)], b0 + (size_t)k0 * n);
        asm volatile("cp.async.commit_group;");
    };
    fetch(0, 0);
    for (int k0 = 0, stage = 0; k0 < k; k0 += BK, stage ^= 1) {
        if (k0 + BK < k) {
            fetch(stage ^ 1, k0 + BK);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < BK; kk += 16) {
            unsigned fa[2][4], fb[2][4];
            for (int i = 0; i < 2; i++) load(fa[i], &as[stage][row + 16 * i + lane % 16][kk + 8 * (lane / 16)]);
            for (int j = 0; j < 2; j++) load_turned(fb[j], &bs[stage][kk + lane % 16][column + 16 * j + 8 * (lane / 16)]);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++) multiply(sums[i][j], fa[i], fb[j / 2][2 * (j % 2)], fb[j / 2][2 * (j % 2) + 1]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e += 2) {
                size_t at = (size_t)(row0 + row + 16 * i + lane / 4 + 4 * e) * n + column0 + column + 8 * j + 2 * (lane % 4);
                *reinterpret_cast<float2*>(&c[at]) = make_float2(sums[i][j][e], sums[i][j][e + 1]);
            }
}
