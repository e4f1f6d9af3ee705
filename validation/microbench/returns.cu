// How results of loads get into the registers: bursts of loads of several widths by few warps and
// by many, from one sub-core and from all; beside multiply-adds. Signatures as in probes.cu.

typedef long long Cycles;

#define WARP (threadIdx.x >> 5)
#define PLACE (blockIdx.x * (blockDim.x >> 5) + WARP)
#define BEGIN Cycles begin = clock64()
#define FINISH Cycles took = clock64() - begin; if ((threadIdx.x & 31) == 0) out[PLACE] = took

template <int WORDS> struct Words { float at[WORDS]; };

template <int WORDS> __device__ __forceinline__ Words<WORDS> load_shared(unsigned at) {
    Words<WORDS> v;
    if constexpr (WORDS == 1) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v.at[0]) : "r"(at));
    if constexpr (WORDS == 2)
        asm volatile("ld.volatile.shared.v2.f32 {%0,%1}, [%2];" : "=f"(v.at[0]), "=f"(v.at[1]) : "r"(at));
    if constexpr (WORDS == 4)
        asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(v.at[0]), "=f"(v.at[1]), "=f"(v.at[2]), "=f"(v.at[3]) : "r"(at));
    return v;
}
template <int WORDS> __device__ __forceinline__ Words<WORDS> load_global(const float* at) {
    Words<WORDS> v;
    if constexpr (WORDS == 1) asm volatile("ld.global.f32 %0, [%1];" : "=f"(v.at[0]) : "l"(at));
    if constexpr (WORDS == 2)
        asm volatile("ld.global.v2.f32 {%0,%1}, [%2];" : "=f"(v.at[0]), "=f"(v.at[1]) : "l"(at));
    if constexpr (WORDS == 4)
        asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(v.at[0]), "=f"(v.at[1]), "=f"(v.at[2]), "=f"(v.at[3]) : "l"(at));
    return v;
}

// LOADS loads of WORDS registers, all waited for, then ADDS multiply-adds for each register of one
// load that use it. KIND 0: shared, 1: shared, all lanes the same address, 2: global, in L1.
// Warps with (warp & skip) != 0 do nothing.
template <int KIND, int WORDS, int LOADS, int ADDS>
__device__ __forceinline__ void burst(float* buf, Cycles* out, int iters, int skip) {
    __shared__ float space[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) space[i] = 0.0f;
    __syncthreads();
    if (WARP & skip) return;
    int lane = threadIdx.x & 31;
    unsigned at = (unsigned)__cvta_generic_to_shared(space) + (KIND == 1 ? 0 : lane * WORDS * 4);
    const float* mine = buf + lane * WORDS;
    float a[16];
    for (int k = 0; k < 16; k++) a[k] = buf[k] + lane;
    for (int k = 0; k < LOADS; k++) a[k] += load_global<WORDS>(mine + k * 128).at[0];
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
        Words<WORDS> v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            v[k] = KIND == 2 ? load_global<WORDS>(mine + k * 128 + (i & 1) * 2048) : load_shared<WORDS>(at + k * 512);
#pragma unroll
        for (int j = 0; j < ADDS; j++)
#pragma unroll
            for (int k = 0; k < LOADS; k++)
#pragma unroll
                for (int w = 0; w < WORDS; w++) {
                    int n = (j * LOADS + k) * WORDS + w;
                    asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(a[n & 15]) : "f"(v[k].at[w]));
                }
    }
    FINISH;
    float sum = 0;
    for (int k = 0; k < 16; k++) sum += a[k];
    if (sum == 12345.0f) buf[0] = sum;
}
#define BURST(name, KIND, WORDS, LOADS, ADDS) \
    extern "C" __global__ void ret_##name##_##LOADS##_##ADDS(float* buf, Cycles* out, int iters, int p) { \
        burst<KIND, WORDS, LOADS, ADDS>(buf, out, iters, p); }
#define BURSTS(name, KIND, WORDS, ADDS) BURST(name, KIND, WORDS, 1, ADDS) BURST(name, KIND, WORDS, 2, ADDS) \
    BURST(name, KIND, WORDS, 4, ADDS) BURST(name, KIND, WORDS, 8, ADDS)
#define KINDS(ADDS) BURSTS(lds, 0, 1, ADDS) BURSTS(lds64, 0, 2, ADDS) BURSTS(lds128, 0, 4, ADDS) \
    BURSTS(same, 1, 1, ADDS) BURSTS(same64, 1, 2, ADDS) BURSTS(same128, 1, 4, ADDS) \
    BURSTS(ldg, 2, 1, ADDS) BURSTS(ldg128, 2, 4, ADDS)
KINDS(1) KINDS(4)
