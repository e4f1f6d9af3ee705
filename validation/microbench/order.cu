// When each warp of an SM has issued which part of its work: a look at the clock after every step, and
// behind them the SM's number and the warp's slot there. p: 1, only every other warp runs, 3, only every
// fourth. Signatures as in probes.cu.

typedef long long Cycles;

constexpr int LOOKS = 14;

__device__ __forceinline__ float load(unsigned at) {
    float v;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(at));
    return v;
}
__device__ __forceinline__ float4 load4(unsigned at) {
    float4 v;
    asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(at));
    return v;
}
__device__ __forceinline__ Cycles now() {
    Cycles c;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(c)::"memory");
    return c;
}
__device__ __forceinline__ void fma(float& a, float b) { asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(b)); }

enum Step { FEW, MANY, CHAIN, ADDS, LOADS, WAITS, FIRST, WIDE, OUTER, ROOTS, MEETS, STORES, BOTH };

template <Step S> __device__ __forceinline__ void step(float (&a)[16], float (&v)[8], float b, unsigned at, int n) {
    if (S == FEW) for (int k = 0; k < 4; k++) fma(a[k], b);
    if (S == MANY) for (int k = 0; k < 32; k++) fma(a[k & 15], b);
    if (S == CHAIN) for (int k = 0; k < 4; k++) fma(a[0], b);
    if (S == ADDS) for (int k = 0; k < 8; k++) asm volatile("lop3.b32 %0, %0, %1, %1, 0x96;" : "+r"(*(unsigned*)&a[k]) : "r"(n));
    if (S == LOADS) { v[n & 7] = load(at + n * 128); for (int k = 0; k < 4; k++) fma(a[k], b); }
    if (S == WAITS) { v[0] = load(at + n * 128); fma(a[0], v[0]); for (int k = 1; k < 8; k++) fma(a[k], b); }
    if (S == FIRST) {
        for (int k = 0; k < 4; k++) v[k] = load(at + (n + k) * 128);
        for (int k = 0; k < 16; k++) fma(a[k], v[k & 3]);
    }
    if (S == WIDE) {
        float4 w = load4(at + n * 512);
        for (int k = 0; k < 16; k++) fma(a[k], b);
        v[0] = w.x; v[1] = w.y; v[2] = w.z; v[3] = w.w;
        for (int k = 0; k < 4; k++) fma(a[k], v[k]);
    }
    if (S == OUTER) {
        float4 x = load4(at + n * 512), y = load4(at + n * 512 + 64);
        float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
        for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++)
            asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(a[4 * i + j]) : "f"(xs[i]), "f"(ys[j]));
    }
    if (S == ROOTS) { asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(v[0]) : "f"(a[8])); for (int k = 0; k < 8; k++) fma(a[k], b); fma(a[8], v[0]); }
    if (S == MEETS) { for (int k = 0; k < 8; k++) fma(a[k], b); asm volatile("bar.sync 0;" ::: "memory"); }
    if (S == STORES) {
        v[0] = load(at + n * 128);
        fma(a[0], v[0]);
        asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(at + n * 128), "f"(a[0]) : "memory");
        asm volatile("bar.sync 0;" ::: "memory");
    }
    if (S == BOTH) {
        for (int k = 0; k < 2; k++) v[k] = load(at + (n + k) * 128);
        asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(a[0]) : "f"(v[0]), "f"(v[1]));
    }
}

template <Step S> __device__ __forceinline__ void trace(float* buf, Cycles* out, int p) {
    __shared__ __align__(16) float space[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) space[i] = 0.0f;
    float a[16], v[8] = {}, b = buf[1];
    for (int k = 0; k < 16; k++) a[k] = buf[k] + threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(space) + (threadIdx.x & 31) * (S == WIDE || S == OUTER ? 16 : 4);
    Cycles look[LOOKS + 1];
    __syncthreads();
    if ((threadIdx.x >> 5) & p) return;
    look[0] = now();
#pragma unroll
    for (int n = 0; n < LOOKS; n++) {
        step<S>(a, v, b, at, n);
        look[n + 1] = now();
    }
    float sum = 0;
    for (int k = 0; k < 16; k++) sum += a[k] + v[k & 7];
    if (sum == 12345.0f) buf[0] = sum;
    if ((threadIdx.x & 31) == 0) {
        unsigned sm, slot;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
        Cycles* row = out + (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)) * (LOOKS + 2);
        for (int n = 0; n <= LOOKS; n++) row[n] = look[n];
        row[LOOKS + 1] = sm << 8 | slot;
    }
}
#define TRACE(name, S) extern "C" __global__ void __launch_bounds__(1024) order_##name(float* buf, Cycles* out, int iters, int p) { trace<S>(buf, out, p); }
TRACE(few, FEW) TRACE(many, MANY) TRACE(chain, CHAIN) TRACE(adds, ADDS) TRACE(loads, LOADS) TRACE(waits, WAITS)
TRACE(first, FIRST) TRACE(wide, WIDE) TRACE(outer, OUTER) TRACE(roots, ROOTS) TRACE(meets, MEETS) TRACE(stores, STORES)
TRACE(both, BOTH)
