// Opcodes that no recorded launch has, each in a kernel of its own: which pipe counts them.
//
// Each was launched with one warp, n = 64 and words by chance, under `validation measure`, from the cubin
// that NVRTC makes of this file. h200_pipes.json has what ncu counted, and the executions by address.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define KERNEL(name, ...)                                                     \
    extern "C" __global__ void name(unsigned* out, const unsigned* in, int n) { \
        unsigned a = in[threadIdx.x], b = in[threadIdx.x + 32], c = in[threadIdx.x + 64]; \
        _Pragma("unroll 1") for (int i = 0; i < n; i++) { __VA_ARGS__ }       \
        out[threadIdx.x] = a;                                                 \
    }
__device__ __half2 h(unsigned v) { return *reinterpret_cast<__half2*>(&v); }
__device__ __nv_bfloat162 bf(unsigned v) { return *reinterpret_cast<__nv_bfloat162*>(&v); }
__device__ unsigned u(__half2 v) { return *reinterpret_cast<unsigned*>(&v); }
__device__ unsigned u(__nv_bfloat162 v) { return *reinterpret_cast<unsigned*>(&v); }

KERNEL(half_min, a = u(__hmin2(h(a), h(b)));)
KERNEL(bfloat_max, a = u(__hmax2(bf(a), bf(b)));)
KERNEL(half_compare, a = u(__hlt2(h(a), h(b)));)
KERNEL(half_all, if (__hbgt2(h(a), h(b))) a += c;)
KERNEL(half_scalar, a = __half_as_ushort(__hfma(__low2half(h(a)), __low2half(h(b)), __high2half(h(c))));)
KERNEL(half_divide, a = __half_as_ushort(__hdiv(__low2half(h(a)), __low2half(h(b))));)
KERNEL(bit_mask, asm volatile("bmsk.clamp.b32 %0, %0, %1;" : "+r"(a) : "r"(b));)
KERNEL(extend, asm volatile("szext.clamp.s32 %0, %0, %1;" : "+r"(a) : "r"(b));)
KERNEL(difference, asm volatile("sad.s32 %0, %0, %1, %2;" : "+r"(a) : "r"(b), "r"(c));)
KERNEL(double_compare, double x = __hiloint2double(a, b), y = __hiloint2double(b, c); if (x > y) a += c;)
KERNEL(double_min, double x = __hiloint2double(a, b), y = __hiloint2double(b, c); a = __double2loint(fmin(x, y));)
KERNEL(double_to_float, a = __float_as_uint((float)__hiloint2double(a, b));)
KERNEL(double_inverse, a = __double2hiint(1.0 / __hiloint2double(a, b));)
KERNEL(tensor_bytes, int d[4] = {0, 0, 0, 0};
       asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                    : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a), "r"(b), "r"(c), "r"(a), "r"(b), "r"(c)); a += d[0];)
KERNEL(tensor_double, double d[2] = {0, 0}; double x = __hiloint2double(a, b);
       asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                    : "+d"(d[0]), "+d"(d[1]) : "d"(x), "d"(x)); a += __double2loint(d[0]);)
KERNEL(move_matrix, asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(a));)
KERNEL(fence, __threadfence(); a += b;)
KERNEL(fence_block, __threadfence_block(); a += b;)
KERNEL(sleep, __nanosleep(20); a += b;)
KERNEL(masks, unsigned m; asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(m)); a += m;)
