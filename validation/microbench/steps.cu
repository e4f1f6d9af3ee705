// Barriers: of one sub-core and all, among loads, and in loops like those of reductions and scans;
// long loops; first touches of memory. Signatures as in probes.cu.

typedef long long Cycles;

#define WARP (threadIdx.x >> 5)
#define PLACE (blockIdx.x * (blockDim.x >> 5) + WARP)
#define BEGIN Cycles begin = clock64()
#define FINISH Cycles took = clock64() - begin; if ((threadIdx.x & 31) == 0) out[PLACE] = took
#define SPACE __shared__ float space[4096]; \
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) space[i] = 1.0f; \
    __syncthreads(); \
    unsigned at = (unsigned)__cvta_generic_to_shared(space); (void)at

__device__ __forceinline__ float load(unsigned at) {
    float v;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(at) : "memory");
    return v;
}
__device__ __forceinline__ void store(unsigned at, float v) {
    asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(at), "f"(v) : "memory");
}
__device__ __forceinline__ void barrier() { asm volatile("bar.sync 0;" ::: "memory"); }
template <int N> __device__ __forceinline__ float chain(float a, float b) {
#pragma unroll
    for (int k = 0; k < N; k++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(b));
    return a;
}

// Eight barriers a trip of the warps of one sub-core (p = 3), two (p = 2) or all (p = 0).
extern "C" __global__ void meet(float* buf, Cycles* out, int iters, int p) {
    __syncthreads();
    if (WARP & p) return;
    int count = blockDim.x / (p == 3 ? 4 : p == 2 ? 2 : 1);
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory");
    }
    FINISH;
}

// Arrivals that nobody waits for among LOADS loads each: do they share a port?
template <int LOADS> __device__ __forceinline__ void arrivals(float* buf, Cycles* out, int iters, int p) {
    SPACE;
    if (WARP & p) return;
    unsigned mine = at + (threadIdx.x & 31) * 4;
    int count = blockDim.x / (p == 3 ? 4 : 1);
    float v[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
#pragma unroll
            for (int n = 0; n < LOADS; n++) v[(k * LOADS + n) & 7] = load(mine + (k * LOADS + n) * 128);
            asm volatile("bar.arrive 1, %0;" ::"r"(count) : "memory");
        }
        for (int k = 0; k < 8; k++) asm volatile("add.f32 %0, %0, %0;" : "+f"(v[k]));
    }
    FINISH;
    for (int k = 0; k < 8; k++) if (v[k] == 12345.0f) buf[k] = v[k];
}
#define ARRIVALS(N) extern "C" __global__ void arrivals_##N(float* buf, Cycles* out, int iters, int p) { arrivals<N>(buf, out, iters, p); }
ARRIVALS(0) ARRIVALS(1) ARRIVALS(2) ARRIVALS(4)

// Steps of trees: OPS bit 0: load, bit 1: second load, bit 2: store, bit 3: barrier, bit 4: 16
// multiply-adds. p: the threads below take part in the memory instructions, by a branch as in
// compiled code when BRANCH, else by predicates that are on.
template <int OPS, int BRANCH> __device__ __forceinline__ void steps(float* buf, Cycles* out, int iters, int p) {
    SPACE;
    unsigned mine = at + threadIdx.x * 4;
    float x = 1, y = 1, b = buf[0];
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (!BRANCH || (int)threadIdx.x < p) {
                if (OPS & 1) x = load(mine);
                if (OPS & 2) y = load(mine + 4096);
                if (OPS & 16) x = chain<16>(x, b);
                asm volatile("add.f32 %0, %0, %1;" : "+f"(x) : "f"(y));
                if (OPS & 4) store(mine, x);
            }
            if (OPS & 8) barrier();
        }
    }
    FINISH;
    if (x == 12345.0f) buf[0] = x;
}
#define STEPS(name, OPS) \
    extern "C" __global__ void steps_##name##_0(float* buf, Cycles* out, int iters, int p) { steps<OPS, 0>(buf, out, iters, p); } \
    extern "C" __global__ void steps_##name##_1(float* buf, Cycles* out, int iters, int p) { steps<OPS, 1>(buf, out, iters, p); }
STEPS(l, 1) STEPS(ll, 3) STEPS(s, 4) STEPS(lls, 7) STEPS(b, 8) STEPS(lb, 9) STEPS(llb, 11) STEPS(sb, 12) STEPS(llsb, 15) STEPS(llsbf, 31) STEPS(bf, 24) STEPS(f, 16) STEPS(lsb, 13)

// A tree as in a reduction: half the threads each step; and one whose lanes stand 2, 4, 8 ... apart.
template <int APART> __device__ __forceinline__ void tree(float* buf, Cycles* out, int iters, int p) {
    SPACE;
    int t = threadIdx.x;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
        if (APART) {
#pragma unroll 1
            for (int s = 1; s < blockDim.x; s *= 2) {
                int place = 2 * s * t;
                if (place < blockDim.x) store(at + place * 4, load(at + place * 4) + load(at + (place + s) * 4));
                barrier();
            }
        } else {
#pragma unroll 1
            for (int s = blockDim.x / 2; s > 0; s /= 2) {
                if (t < s) store(at + t * 4, load(at + t * 4) + load(at + (t + s) * 4));
                barrier();
            }
        }
    }
    FINISH;
}
extern "C" __global__ void tree_halves(float* buf, Cycles* out, int iters, int p) { tree<0>(buf, out, iters, p); }
extern "C" __global__ void tree_apart(float* buf, Cycles* out, int iters, int p) { tree<1>(buf, out, iters, p); }

// A scan: every thread adds what a thread 1, 2, 4 ... below it has, two barriers a step.
extern "C" __global__ void tree_scan(float* buf, Cycles* out, int iters, int p) {
    SPACE;
    int t = threadIdx.x;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll 1
        for (int s = 1; s < blockDim.x; s *= 2) {
            float v = t >= s ? load(at + (t - s) * 4) : 0.0f;
            barrier();
            if (t >= s) store(at + t * 4, load(at + t * 4) + v);
            barrier();
        }
    }
    FINISH;
}

// Loops of N multiply-adds: when the code no longer fits the instruction caches. They take NVRTC half
// a minute; -DSHORT leaves them out.
#ifndef SHORT
template <int N> __device__ __forceinline__ void work(float (&a)[8], float b) {
#pragma unroll
    for (int k = 0; k < N; k++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[k & 7]) : "f"(b));
}
#define CODE(N) extern "C" __global__ void code_##N(float* buf, Cycles* out, int iters, int p) { \
    float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b = buf[0]; __syncthreads(); BEGIN; \
    _Pragma("unroll 1") for (int i = 0; i < iters; i++) work<N>(a, b); \
    FINISH; if (a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7] == 12345.0f) buf[0] = a[0]; }
CODE(512) CODE(1024) CODE(2048) CODE(4096) CODE(6144) CODE(8192) CODE(12288)
#endif

// First touches of memory, caches flushed: four loads of one warp, or stores (bit 1 of p), 4 MiB
// apart or in one line after the other (bit 0).
extern "C" __global__ void touch(float* buf, Cycles* out, int iters, int p) {
    long long step = p & 1 ? 32 : 1 << 20;
    float v[4];
    BEGIN;
    if (p & 2) {
        for (int k = 0; k < 4; k++) buf[k * step + threadIdx.x] = 1.0f;
    } else {
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = buf[k * step + threadIdx.x];
        for (int k = 0; k < 4; k++) if (v[k] == 12345.0f) buf[0] = 1.0f;
    }
    Cycles took = clock64() - begin;
    if ((threadIdx.x & 31) == 0 && PLACE < iters) out[PLACE] = took;
}
