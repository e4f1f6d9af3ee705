// What goes through a sub-core's queue of memory instructions without being one: loads of constants,
// special registers, barriers; alone and among loads. Signatures as in probes.cu.

typedef long long Cycles;

#define WARP (threadIdx.x >> 5)
#define PLACE (blockIdx.x * (blockDim.x >> 5) + WARP)
#define BEGIN Cycles begin = clock64()
#define FINISH Cycles took = clock64() - begin; if ((threadIdx.x & 31) == 0) out[PLACE] = took

__constant__ unsigned table[64];
__constant__ uint2 pairs[64];

// In groups of four: LDC loads of constants, SM numbers of the SM, WARPS numbers of the warp, LDS loads
// from shared memory, STS stores to it, ARV arrivals at a barrier that nobody waits for. The warps
// whose number has a bit of p do nothing.
template <int LDC, int WIDE, int SM, int WARPS, int LDS, int STS, int ARV>
__device__ __forceinline__ void unit(float* buf, Cycles* out, int iters, int p) {
    __shared__ unsigned space[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) space[i] = 0;
    unsigned at = (unsigned)__cvta_generic_to_shared(space) + (threadIdx.x & 31) * 4;
    unsigned off = (unsigned)buf[threadIdx.x & 31], sum[4] = {0, 0, 0, 0};
    int count = blockDim.x / (p == 3 ? 4 : 1);
    __syncthreads();
    if (WARP & p) return;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned r, turn = off + (i & 15);
#pragma unroll
            for (int n = 0; n < LDC; n++) {
                if (WIDE) {
                    uint2 v = pairs[turn + 4 * k + n];
                    sum[k] += v.x ^ v.y;
                } else {
                    sum[k] += table[turn + 4 * k + n];
                }
            }
#pragma unroll
            for (int n = 0; n < SM; n++) {
                asm volatile("mov.u32 %0, %%smid;" : "=r"(r));
                sum[k] += r;
            }
#pragma unroll
            for (int n = 0; n < WARPS; n++) {
                asm volatile("mov.u32 %0, %%warpid;" : "=r"(r));
                sum[k] += r;
            }
#pragma unroll
            for (int n = 0; n < LDS; n++) {
                asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(r) : "r"(at + (k * LDS + n) * 128) : "memory");
                sum[k] += r;
            }
#pragma unroll
            for (int n = 0; n < STS; n++)
                asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at + (k * STS + n) * 128 + 2048), "r"(off) : "memory");
#pragma unroll
            for (int n = 0; n < ARV; n++) asm volatile("bar.arrive 1, %0;" ::"r"(count) : "memory");
        }
    }
    FINISH;
    if (sum[0] + sum[1] + sum[2] + sum[3] == 12345u) buf[0] = 1.0f;
}
#define UNIT(name, ...) extern "C" __global__ void unit_##name(float* buf, Cycles* out, int iters, int p) { unit<__VA_ARGS__>(buf, out, iters, p); }
UNIT(ldc, 2, 0, 0, 0, 0, 0, 0)
UNIT(ldc64, 2, 1, 0, 0, 0, 0, 0)
UNIT(sm, 0, 0, 2, 0, 0, 0, 0)
UNIT(warp, 0, 0, 0, 2, 0, 0, 0)
UNIT(arv, 0, 0, 0, 0, 0, 0, 2)
UNIT(ldc_sm, 2, 0, 2, 0, 0, 0, 0)
UNIT(ldc_arv, 2, 0, 0, 0, 0, 0, 2)
UNIT(sm_arv, 0, 0, 2, 0, 0, 0, 2)
UNIT(ldc_lds, 2, 0, 0, 0, 4, 0, 0)
UNIT(sm_lds, 0, 0, 2, 0, 4, 0, 0)
UNIT(arv_sts, 0, 0, 0, 0, 0, 4, 2)
UNIT(arv_lds, 0, 0, 0, 0, 4, 0, 2)
UNIT(lds_sts, 0, 0, 0, 0, 2, 2, 0)
UNIT(all, 1, 0, 1, 0, 2, 1, 1)

// Latencies, one after another: OP 0 a constant, 1 the SM's number, 2 the warp's, with QUEUE loads from
// shared memory by the same warp before.
template <int OP, int QUEUE> __device__ __forceinline__ void latency(float* buf, Cycles* out, int iters) {
    __shared__ unsigned space[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) space[i] = 0;
    unsigned at = (unsigned)__cvta_generic_to_shared(space) + (threadIdx.x & 31) * 4;
    unsigned off = (unsigned)buf[threadIdx.x & 31], total = 0;
    __syncthreads();
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            unsigned r[QUEUE + 1];
#pragma unroll
            for (int n = 0; n < QUEUE; n++)
                asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(r[n]) : "r"(at + off + n * 128) : "memory");
            if (OP == 0) off = table[off];
            if (OP == 1) {
                unsigned c;
                asm volatile("mov.u32 %0, %%smid;" : "=r"(c));
                off = off * (c + 1);
            }
            if (OP == 2) {
                unsigned c;
                asm volatile("mov.u32 %0, %%warpid;" : "=r"(c));
                off = off * (c + 1);
            }
            asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 0x7ffffff1;\n @q trap; }" ::"r"(off));
#pragma unroll
            for (int n = 0; n < QUEUE; n++) total += r[n];
        }
    }
    FINISH;
    if (total + off == 12345u) buf[0] = 1.0f;
}
#define LATENCY(name, ...) extern "C" __global__ void late_##name(float* buf, Cycles* out, int iters, int p) { latency<__VA_ARGS__>(buf, out, iters); }
LATENCY(ldc_0, 0, 0) LATENCY(ldc_4, 0, 4) LATENCY(sm_0, 1, 0) LATENCY(sm_4, 1, 4) LATENCY(warp_0, 2, 0) LATENCY(warp_4, 2, 4)

// Block numbers, which only a function that is not inlined reads again and again, and barriers or
// loads of constants among them.
__device__ __noinline__ unsigned number(unsigned off) {
    asm volatile("" ::: "memory");
    return blockIdx.x + blockIdx.y * off + blockIdx.z;
}
template <int CTA, int BAR, int LDC> __device__ __forceinline__ void among(float* buf, Cycles* out, int iters, int p) {
    unsigned off = (unsigned)buf[threadIdx.x & 31], sum = 0;
    __syncthreads();
    if (WARP & p) return;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
        if (CTA) sum += number(off);
#pragma unroll
        for (int k = 0; k < BAR; k++) {
#pragma unroll
            for (int n = 0; n < LDC; n++) sum += table[off + (i & 15) + 8 * k + n];
            asm volatile("bar.sync 0;" ::: "memory");
        }
    }
    FINISH;
    if (sum == 12345u) buf[0] = 1.0f;
}
#define AMONG(name, ...) extern "C" __global__ void among_##name(float* buf, Cycles* out, int iters, int p) { among<__VA_ARGS__>(buf, out, iters, p); }
AMONG(cta, 1, 0, 0) AMONG(cta_bar, 1, 4, 0) AMONG(bar, 0, 4, 0) AMONG(bar_ldc, 0, 4, 1) AMONG(bar_ldc4, 0, 4, 4)
