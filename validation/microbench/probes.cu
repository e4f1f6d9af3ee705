// Small kernels that each make one part of an SM the bottleneck. Every warp writes the cycles that
// its measured loop took to out[block * warps + warp]; see probes.py for how they are launched.

typedef long long Cycles;

#define WARP (threadIdx.x >> 5)
#define PLACE (blockIdx.x * (blockDim.x >> 5) + WARP)
#define BEGIN Cycles begin = clock64()
#define FINISH Cycles took = clock64() - begin; if ((threadIdx.x & 31) == 0) out[PLACE] = took

// Independent multiply-adds on eight registers; N a multiple of 8.
template <int N> __device__ __forceinline__ void multiply_adds(float (&a)[8], float b, int first = 0) {
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[(first + i) & 7]) : "f"(b));
}

__device__ __forceinline__ float load_shared(unsigned at) {
    float v;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(at));
    return v;
}
__device__ __forceinline__ float load_shared4(unsigned at) {
    float x, y, z, w;
    asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(at));
    return x + y + z + w;
}
__device__ __forceinline__ void store_shared(unsigned at, float v) {
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v));
}
__device__ __forceinline__ float load_global(const float* at) {
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(at));
    return v;
}
__device__ __forceinline__ float load_global4(const float* at) {
    float x, y, z, w;
    asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(at));
    return x + y + z + w;
}
__device__ __forceinline__ float load_l2(const float* at) {
    float v;
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(at));
    return v;
}
__device__ __forceinline__ void store_global(float* at, float v) {
    asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(v));
}

// Eight memory operations of one kind and N multiply-adds a trip; only warps with (warp & skip) == 0
// work. OP 0 lds, 1 lds128, 2 sts, 3 ldg (L1 hits), 4 ldg128 (L1 hits), 5 stg, 6 shfl.
template <int OP, int N>
__device__ __forceinline__ void mix(float* buf, Cycles* out, int iters, int skip) {
    __shared__ float space[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) space[i] = 0.0f;
    __syncthreads();
    if (WARP & skip) return;
    unsigned at = (unsigned)__cvta_generic_to_shared(space) + (threadIdx.x & 31) * (OP == 1 ? 16 : 4);
    float* mine = buf + (threadIdx.x & 31) * (OP == 4 ? 4 : 1) + (OP == 5 ? PLACE * 2048 : 0);
    float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b = buf[0];
    float v[8];
    for (int k = 0; k < 8; k++) v[k] = b + threadIdx.x * k;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (OP == 0) v[k] = load_shared(at + k * 512);
            if (OP == 1) v[k] = load_shared4(at + k * 512);
            if (OP == 2) store_shared(at + k * 512, b);
            if (OP == 3) v[k] += load_global(mine + k * 128 + (i & 3) * 1024);
            if (OP == 4) v[k] += load_global4(mine + k * 128 + (i & 3) * 1024);
            if (OP == 5) store_global(mine + k * 128, b);
            if (OP == 6) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+f"(v[k]));
            multiply_adds<N / 8>(a, b, k * (N / 8));
        }
    }
    FINISH;
    for (int k = 0; k < 8; k++) if (a[k] + v[k] == 12345.0f) buf[k] = a[k];
}
#define MIX(name, OP, N) \
    extern "C" __global__ void mix_##name##_##N(float* buf, Cycles* out, int iters, int p) { \
        mix<OP, N>(buf, out, iters, p); }
#define MIXES(name, OP) MIX(name, OP, 0) MIX(name, OP, 8) MIX(name, OP, 32) MIX(name, OP, 64)
MIXES(lds, 0) MIXES(lds128, 1) MIXES(sts, 2) MIXES(ldg, 3) MIXES(ldg128, 4) MIXES(stg, 5) MIXES(shfl, 6)

// One barrier a trip, after p multiply-adds times the warp's number (arrivals spread in time).
extern "C" __global__ void barrier(float* buf, Cycles* out, int iters, int p) {
    float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b = buf[0];
    __syncthreads();
    BEGIN;
    for (int i = 0; i < iters; i++) {
        for (int k = 0; k < p * (int)WARP; k++) multiply_adds<8>(a, b);
        asm volatile("bar.sync 0;");
    }
    FINISH;
    if (a[0] + a[7] == 12345.0f) buf[0] = a[0];
}

// The shortest loops: the cost of a taken branch; and of a divergent region.
extern "C" __global__ void branch(float* buf, Cycles* out, int iters, int p) {
    float b = buf[0], a = 1;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(b));
    FINISH;
    if (a == 12345.0f) buf[0] = a;
}
extern "C" __global__ void diverge(float* buf, Cycles* out, int iters, int p) {
    float b = buf[0], a = 1;
    int lane = threadIdx.x & 31;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
        if (lane < p) for (int k = 0; k < 4 + (i & 1); k++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(b));
        else for (int k = 0; k < 5 - (i & 1); k++) asm volatile("add.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
        __syncwarp();
    }
    FINISH;
    if (a == 12345.0f) buf[0] = a;
}

// Straight code of N multiply-adds: out[trip] of warp 0 of block 0 are the cycles of each trip, so the
// first shows what fetching costs.
template <int N> __device__ __forceinline__ void straight(float* buf, Cycles* out, int iters) {
    float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b = buf[0];
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
        __syncthreads();
        BEGIN;
        multiply_adds<N>(a, b);
        Cycles took = clock64() - begin;
        if (threadIdx.x == 0) out[blockIdx.x * iters + i] = took;
    }
    float s = 0;
    for (int k = 0; k < 8; k++) s += a[k];
    if (s == 12345.0f) buf[0] = s;
}
#define STRAIGHT(N) extern "C" __global__ void straight_##N(float* buf, Cycles* out, int iters, int p) { \
    straight<N>(buf, out, iters); }
STRAIGHT(128) STRAIGHT(512) STRAIGHT(1024) STRAIGHT(2048) STRAIGHT(4096) STRAIGHT(7168) STRAIGHT(10240) STRAIGHT(16384)

// Arithmetic: OP 0 iadd3, 1 lop3, 2 imad, 3 ffma, 4 iadd3 and ffma in turn, 5 mufu, 6 i2f, 7 shf.
template <int OP> __device__ __forceinline__ void arithmetic(float* buf, Cycles* out, int iters) {
    float f[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b = buf[0];
    int n[8] = {1, 2, 3, 4, 5, 6, 7, 8}, c = (int)b + 3;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 32; k++) {
            int j = k & 7;
            if (OP == 0 || (OP == 4 && k & 1)) asm volatile("add.s32 %0, %0, %1;" : "+r"(n[j]) : "r"(c));
            if (OP == 1) asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(n[j]) : "r"(c), "r"(i));
            if (OP == 2) asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(n[j]) : "r"(c));
            if (OP == 3 || (OP == 4 && !(k & 1))) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[j]) : "f"(b));
            if (OP == 5) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[j]));
            if (OP == 6) asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(f[j]) : "r"(n[j]));
            if (OP == 7) asm volatile("shf.l.wrap.b32 %0, %0, %1, 7;" : "+r"(n[j]) : "r"(c));
        }
    }
    FINISH;
    for (int k = 0; k < 8; k++) if (f[k] + n[k] == 12345.0f) buf[k] = f[k];
}
#define ARITHMETIC(name, OP) extern "C" __global__ void alu_##name(float* buf, Cycles* out, int iters, int p) { \
    arithmetic<OP>(buf, out, iters); }
ARITHMETIC(iadd3, 0) ARITHMETIC(lop3, 1) ARITHMETIC(imad, 2) ARITHMETIC(ffma, 3) ARITHMETIC(both, 4)
ARITHMETIC(mufu, 5) ARITHMETIC(i2f, 6) ARITHMETIC(shf, 7)

// Chains: each operation waits for the one before. OP 0 lds, 1 ldg (L1), 2 ldg (L2), 3 shfl, 4 mufu,
// 5 shared atomic, 6 global atomic, 7 constant.
__constant__ unsigned table[64];
template <int OP> __device__ __forceinline__ void chain(float* buf, Cycles* out, int iters) {
    __shared__ unsigned space[64];
    if (threadIdx.x < 64) space[threadIdx.x] = 0;
    __syncthreads();
    unsigned base = (unsigned)__cvta_generic_to_shared(space), at = base;
    float v = buf[0] + threadIdx.x;
    const char* bytes = (const char*)(buf + (OP == 6 ? blockIdx.x * 64 : 0));
    unsigned off = 0;
    BEGIN;
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (OP == 0) { unsigned r; asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(at)); at = r + base; }
            if (OP == 1) { unsigned r; asm volatile("ld.global.u32 %0, [%1];" : "=r"(r) : "l"(bytes + off)); off = r; }
            if (OP == 2) { unsigned r; asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(r) : "l"(bytes + off)); off = r; }
            if (OP == 3) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+f"(v));
            if (OP == 4) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
            if (OP == 5) { unsigned r; asm volatile("atom.shared.add.u32 %0, [%1], 0;" : "=r"(r) : "r"(at + (threadIdx.x & 31) * 4)); at = r + base; }
            if (OP == 6) { unsigned r; asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(r) : "l"(bytes + off + (threadIdx.x & 31) * 4)); off = r; }
            if (OP == 7) off = table[off];
        }
    }
    FINISH;
    if (at + off + v == 12345.0f) buf[0] = v;
}
#define CHAIN(name, OP) extern "C" __global__ void chain_##name(float* buf, Cycles* out, int iters, int p) { \
    chain<OP>(buf, out, iters); }
CHAIN(lds, 0) CHAIN(ldg, 1) CHAIN(l2, 2) CHAIN(shfl, 3) CHAIN(mufu, 4) CHAIN(atoms, 5) CHAIN(atomg, 6) CHAIN(ldc, 7)

// Shared atomics without a use of the result: every lane adds to word lane * p (0: one word).
extern "C" __global__ void atoms(float* buf, Cycles* out, int iters, int p) {
    __shared__ unsigned space[1024];
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(space) + (threadIdx.x & 31) * 4 * p, b = (unsigned)buf[0];
    BEGIN;
    for (int i = 0; i < iters; i++)
#pragma unroll
        for (int k = 0; k < 8; k++) asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(b + 2));
    FINISH;
}
// Reductions to global memory: lanes 0..p-1 add to neighbouring words of one place (hot) or of the
// block's own place.
__device__ __forceinline__ void reduce(float* at, Cycles* out, int iters, int p) {
    unsigned b = iters;
    BEGIN;
    if ((threadIdx.x & 31) < p)
        for (int i = 0; i < iters; i++)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at + (threadIdx.x & 31)), "r"(b));
    FINISH;
}
extern "C" __global__ void red_hot(float* buf, Cycles* out, int iters, int p) { reduce(buf, out, iters, p); }
extern "C" __global__ void red_own(float* buf, Cycles* out, int iters, int p) {
    reduce(buf + blockIdx.x * 1024, out, iters, p);
}

// Loads from L2 (never L1): lanes p words apart, a new place each trip within 8 MB.
extern "C" __global__ void l2_gather(float* buf, Cycles* out, int iters, int p) {
    unsigned at = PLACE * 7919 * 1024;
    float t[4] = {0, 0, 0, 0};
    __syncthreads();
    BEGIN;
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++)
            t[k] += load_l2(buf + ((at + (i * 4 + k) * 32 * p + (threadIdx.x & 31) * p) & 0x1FFFFF));
    }
    FINISH;
    float s = t[0] + t[1] + t[2] + t[3];
    if (s == 12345.0f) buf[0] = s;
}
// Loads that hit L1: lanes p words apart.
extern "C" __global__ void l1_gather(float* buf, Cycles* out, int iters, int p) {
    float s = 0;
    const float* mine = buf + (threadIdx.x & 31) * p;
    for (int k = 0; k < 16; k++) s += load_global(mine + k * 1024);
    __syncthreads();
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) s += load_global(mine + (k + (i & 1) * 8) * 1024);
    }
    FINISH;
    if (s == 12345.0f) buf[0] = s;
}
// Stores: each lane writes one word p words from its neighbour's; with fill, p stores a trip fill
// the gaps one after another.
__device__ __forceinline__ void scatter(float* buf, Cycles* out, int iters, int p, int fill) {
    float* mine = buf + PLACE * 1024;
    int lane = threadIdx.x & 31;
    BEGIN;
    for (int i = 0; i < iters; i++)
        for (int k = 0; k < (fill ? p : 1); k++) store_global(mine + ((i * 32 * p + lane * p + k) & 1023), 1.0f);
    FINISH;
}
extern "C" __global__ void store_apart(float* buf, Cycles* out, int iters, int p) { scatter(buf, out, iters, p, 0); }
extern "C" __global__ void store_fill(float* buf, Cycles* out, int iters, int p) { scatter(buf, out, iters, p, 1); }

// Latency of single L2 hits, line after line: out[i] for thread 0 of block 0.
extern "C" __global__ void l2_lines(float* buf, Cycles* out, int iters, int p) {
    unsigned off = 0;
    for (int i = 0; i < iters; i++) {
        unsigned r;
        BEGIN;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(r) : "l"((const char*)buf + i * 128 + off));
        if (r + off == 77) return;  // makes the clock wait for the load
        off = r;
        out[i] = clock64() - begin;
    }
}

// Streaming: n elements of 4 or 16 bytes, one a thread; measured from outside.
extern "C" __global__ void read4(float* buf, Cycles* out, int n, int p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && load_global(buf + i) == 12345.0f) out[0] = 1;
}
extern "C" __global__ void read16(float* buf, Cycles* out, int n, int p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && load_global4(buf + 4 * i) == 12345.0f) out[0] = 1;
}
extern "C" __global__ void write4(float* buf, Cycles* out, int n, int p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) store_global(buf + i, 0.0f);
}
extern "C" __global__ void copy4(float* buf, Cycles* out, int n, int p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) store_global(buf + p + i, load_global(buf + i));
}
extern "C" __global__ void nothing(float* buf, Cycles* out, int iters, int p) {}
// Blocks that each take about 8 * iters * 4 cycles; 100 KB of shared memory make two fit an SM.
extern "C" __global__ void occupy(float* buf, Cycles* out, int iters, int p) {
    float a = 1, b = 2;
    for (int i = 0; i < iters; i++)
#pragma unroll
        for (int k = 0; k < 8; k++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(b));
    if (a == 12345.0f) buf[0] = a;
}
