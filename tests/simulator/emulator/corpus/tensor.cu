// Warp-level matrix products.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
typedef unsigned int u32;

extern "C" __global__ void wmma_half(const __half* a, const __half* b, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

extern "C" __global__ void ldmatrix_mma(const __half* a, const __half* b, float* c) {
    // one m16n8k16 tile: a is 16 x 16 row-major, b is 16 x 8 row-major
    __shared__ __align__(16) __half as[16 * 16], bs[16 * 8];
    int t = threadIdx.x;
    for (int k = t; k < 256; k += 32) as[k] = a[k];
    for (int k = t; k < 128; k += 32) bs[k] = b[k];
    __syncwarp();
    u32 ra[4], rb[2];
    u32 pa = (u32)__cvta_generic_to_shared(&as[(t & 15) * 16 + (t >> 4) * 8]);
    u32 pb = (u32)__cvta_generic_to_shared(&bs[(t & 15) * 8]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(pa));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(rb[0]), "=r"(rb[1]) : "r"(pb));
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    int row = t >> 2, col = 2 * (t & 3);
    c[row * 8 + col] = d[0];
    c[row * 8 + col + 1] = d[1];
    c[(row + 8) * 8 + col] = d[2];
    c[(row + 8) * 8 + col + 1] = d[3];
}

extern "C" __global__ void mma_half_acc(const u32* a, const u32* b, const u32* c, u32* d) {
    int t = threadIdx.x;
    u32 r0, r1;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
                 "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
                 : "=r"(r0), "=r"(r1)
                 : "r"(a[t]), "r"(a[32 + t]), "r"(a[64 + t]), "r"(a[96 + t]), "r"(b[t]),
                   "r"(b[32 + t]), "r"(c[t]), "r"(c[32 + t]));
    d[t] = r0;
    d[32 + t] = r1;
}

#define MMA_F32(NAME, SHAPE)                                                                    \
    extern "C" __global__ void NAME(const u32* a, const u32* b, const float* c, float* d) {     \
        int t = threadIdx.x;                                                                    \
        float r[4] = {c[t], c[32 + t], c[64 + t], c[96 + t]};                                   \
        asm volatile("mma.sync.aligned." SHAPE                                                  \
                     " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                   \
                     : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3])                           \
                     : "r"(a[t]), "r"(a[32 + t]), "r"(a[64 + t]), "r"(a[96 + t]), "r"(b[t]),    \
                       "r"(b[32 + t]));                                                         \
        for (int k = 0; k < 4; ++k) d[32 * k + t] = r[k];                                       \
    }
MMA_F32(mma_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_F32(mma_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32")

extern "C" __global__ void mma_k8(const u32* a, const u32* b, const float* c, float* d) {
    int t = threadIdx.x;
    float r[4] = {c[t], c[32 + t], c[64 + t], c[96 + t]};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"
                 " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3])
                 : "r"(a[t]), "r"(a[32 + t]), "r"(b[t]));
    for (int k = 0; k < 4; ++k) d[32 * k + t] = r[k];
}

extern "C" __global__ void mma_s8(const u32* a, const u32* b, const int* c, int* d) {
    int t = threadIdx.x;
    int r[4] = {c[t], c[32 + t], c[64 + t], c[96 + t]};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"
                 " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])
                 : "r"(a[t]), "r"(a[32 + t]), "r"(a[64 + t]), "r"(a[96 + t]), "r"(b[t]),
                   "r"(b[32 + t]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32"
                 " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])
                 : "r"(a[t]), "r"(a[32 + t]), "r"(b[t]));
    for (int k = 0; k < 4; ++k) d[32 * k + t] = r[k];
}

extern "C" __global__ void mma_f64(const double* a, const double* b, const double* c, double* d) {
    int t = threadIdx.x;
    double r0 = c[t], r1 = c[32 + t];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(r0), "+d"(r1) : "d"(a[t]), "d"(b[t]));
    d[t] = r0;
    d[32 + t] = r1;
}

extern "C" __global__ void move_matrix(const u32* a, u32* out) {
    u32 r;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(a[threadIdx.x]));
    out[threadIdx.x] = r;
}
