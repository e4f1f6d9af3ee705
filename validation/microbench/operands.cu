// Memory instructions among multiply-adds that read three registers each: do they share read ports?

typedef long long Cycles;

// OP 0 lds, 1 lds128, 2 sts, 3 ldg (L1 hits); N multiply-adds a trip; eight memory instructions.
template <int OP, int N>
__device__ __forceinline__ void mix(float* buf, Cycles* out, int iters, int skip) {
    __shared__ float space[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) space[i] = 0.0f;
    __syncthreads();
    if ((threadIdx.x >> 5) & skip) return;
    unsigned at = (unsigned)__cvta_generic_to_shared(space) + (threadIdx.x & 31) * (OP == 1 ? 16 : 4);
    const float* mine = buf + (threadIdx.x & 31);
    float a[8], x[8], y[8], v[8];
    for (int k = 0; k < 8; k++) {
        v[k] = a[k] = buf[k] + k;
        x[k] = buf[k + 8] + k;
        y[k] = buf[k + 16] + k;
    }
    Cycles begin = clock64();
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (OP == 0) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v[k]) : "r"(at + k * 512));
            if (OP == 1) {
                float p, q, r;
                asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v[k]), "=f"(p), "=f"(q), "=f"(r) : "r"(at + k * 512));
            }
            if (OP == 2) asm volatile("st.shared.f32 [%0], %1;" ::"r"(at + k * 512), "f"(v[k]));
            if (OP == 3) asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(v[k]) : "l"(mine + k * 128));
#pragma unroll
            for (int j = 0; j < N / 8; j++) {
                int n = (k * (N / 8) + j);
                asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(a[n & 7]) : "f"(x[(n + (n >> 3)) & 7]), "f"(y[(n * 3 + (n >> 4)) & 7]));
            }
        }
    }
    Cycles took = clock64() - begin;
    if ((threadIdx.x & 31) == 0) out[blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)] = took;
    for (int k = 0; k < 8; k++) if (a[k] + v[k] == 12345.0f) buf[k] = a[k];
}
#define MIX(name, OP, N) \
    extern "C" __global__ void three_##name##_##N(float* buf, Cycles* out, int iters, int p) { mix<OP, N>(buf, out, iters, p); }
#define MIXES(name, OP) MIX(name, OP, 32) MIX(name, OP, 64) MIX(name, OP, 128)
MIXES(none, 9) MIXES(lds, 0) MIXES(lds128, 1) MIXES(sts, 2) MIXES(ldg, 3)

// Conversions and other operations of the special unit; and wide multiplies.
template <int OP> __device__ __forceinline__ void unit(float* buf, Cycles* out, int iters) {
    float f[8];
    int n[8];
    for (int k = 0; k < 8; k++) { f[k] = buf[k] + k; n[k] = (int)buf[k] + k + threadIdx.x; }
    Cycles begin = clock64();
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (OP == 0) { asm volatile("cvt.rp.f32.u32 %0, %1;" : "=f"(f[k]) : "r"(n[k])); n[k] = __float_as_int(f[k]); }
            if (OP == 1) { asm volatile("cvt.rzi.u32.f32 %0, %1;" : "=r"(n[k]) : "f"(f[k])); f[k] = __int_as_float(n[k]); }
            if (OP == 2) { asm volatile("popc.b32 %0, %1;" : "=r"(n[k]) : "r"(n[k])); }
            if (OP == 3) { asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(f[k]) : "f"(f[k])); }
            if (OP == 4) { asm volatile("mul.hi.u32 %0, %1, %2;" : "=r"(n[k]) : "r"(n[k]), "r"(n[(k + 1) & 7])); }
        }
    }
    Cycles took = clock64() - begin;
    if ((threadIdx.x & 31) == 0) out[blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)] = took;
    for (int k = 0; k < 8; k++) if (f[k] + n[k] == 12345.0f) buf[k] = f[k];
}
#define UNIT(name, OP) extern "C" __global__ void unit_##name(float* buf, Cycles* out, int iters, int p) { unit<OP>(buf, out, iters); }
UNIT(i2f, 0) UNIT(f2i, 1) UNIT(popc, 2) UNIT(rcp, 3) UNIT(mulhi, 4)
