// Loops longer than the instruction caches: p holds their length in steps of 4 KiB (bits 0 to 7), which
// SMs run them (numbers that bits 8 to 11 divide, below bits 12 to 19), and by how many times 16
// cycles each warp begins after the one before (bits 20 on). Signatures as in probes.cu.

typedef long long Cycles;

#define WARP (threadIdx.x >> 5)
#define PLACE (blockIdx.x * (blockDim.x >> 5) + WARP)
#define BEGIN Cycles begin = clock64()
#define FINISH Cycles took = clock64() - begin; if ((threadIdx.x & 31) == 0) out[PLACE] = took

template <int N> __device__ __forceinline__ void work(float (&a)[8], float b) {
#pragma unroll
    for (int k = 0; k < N; k++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[k & 7]) : "f"(b));
}

__device__ __forceinline__ bool takes_part(int p) {
    int sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm % (p >> 8 & 15) == 0 && sm < (p >> 12 & 255);
}
__device__ __forceinline__ void spread(int p) {
    Cycles until = clock64() + (Cycles)WARP * (p >> 20) * 16;
    while (clock64() < until) {}
}

#define STEP(N) work<256>(a, b); if (length == N) continue;
#define STEPS(N) STEP(N + 1) STEP(N + 2) STEP(N + 3) STEP(N + 4) STEP(N + 5) STEP(N + 6) STEP(N + 7) STEP(N + 8)
extern "C" __global__ void fetch(float* buf, Cycles* out, int iters, int p) {
    if (!takes_part(p)) return;
    float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b = buf[0];
    int length = p & 255;
    __syncthreads();
    spread(p);
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) { STEPS(0) STEPS(8) STEPS(16) STEPS(24) STEPS(32) STEPS(40) STEPS(48) STEPS(56) }
    FINISH;
    if (a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7] == 12345.0f) buf[0] = a[0];
}

// The same with jumps: RUN multiply-adds, then others that are never executed, up to APART in all.
template <int RUN, int APART> __device__ __forceinline__ void leap(float (&a)[8], float b, int never) {
#pragma unroll
    for (int k = 0; k < 256 / APART; k++) {
        work<RUN>(a, b);
        if (never == k) work<APART - RUN - 1>(a, b);
    }
}
#define LEAP(N) leap<RUN, APART>(a, b, never); if (length == N) continue;
#define LEAPS(N) LEAP(N + 1) LEAP(N + 2) LEAP(N + 3) LEAP(N + 4) LEAP(N + 5) LEAP(N + 6) LEAP(N + 7) LEAP(N + 8)
template <int RUN, int APART> __device__ __forceinline__ void leaping(float* buf, Cycles* out, int iters, int p) {
    if (!takes_part(p)) return;
    float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b = buf[0];
    int length = p & 255, never = iters < 0 ? p : -1;
    __syncthreads();
    spread(p);
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) { LEAPS(0) LEAPS(8) LEAPS(16) LEAPS(24) LEAPS(32) }
    FINISH;
    if (a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7] == 12345.0f) buf[0] = a[0];
}
#define LEAPING(RUN, APART) extern "C" __global__ void leap_##RUN##_##APART(float* buf, Cycles* out, int iters, int p) { leaping<RUN, APART>(buf, out, iters, p); }
LEAPING(4, 32) LEAPING(16, 32) LEAPING(4, 64) LEAPING(16, 128)
