// Branches: loops of several lengths, bodies that are skipped or not, lanes that part and meet.
// Signatures and figures as in probes.cu.

typedef long long Cycles;

#define PLACE (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5))
#define BEGIN Cycles begin = clock64()
#define FINISH Cycles took = clock64() - begin; if ((threadIdx.x & 31) == 0) out[PLACE] = took

template <int N> __device__ __forceinline__ void work(float (&a)[8], float b) {
#pragma unroll
    for (int k = 0; k < N; k++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[k & 7]) : "f"(b));
}
#define SETUP float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b = buf[0]; int lane = threadIdx.x & 31; (void)lane; __syncthreads()
#define KEEP if (a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7] == 12345.0f) buf[0] = a[0]

// A loop of N multiply-adds.
#define LOOP(N) extern "C" __global__ void loop_##N(float* buf, Cycles* out, int iters, int p) { \
    SETUP; BEGIN; \
    _Pragma("unroll 1") for (int i = 0; i < iters; i++) work<N>(a, b); \
    FINISH; KEEP; }
LOOP(8) LOOP(16) LOOP(24) LOOP(32) LOOP(48) LOOP(64) LOOP(96) LOOP(128) LOOP(192) LOOP(256)

// Four bodies of 24 multiply-adds that the whole warp skips (p = 1) or does (p = 0).
extern "C" __global__ void skip(float* buf, Cycles* out, int iters, int p) {
    SETUP; BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
        if (!(p & 1)) work<24>(a, b);
        work<1>(a, b);
        if (!(p & 2)) work<24>(a, b);
        work<1>(a, b);
        if (!(p & 4)) work<24>(a, b);
        work<1>(a, b);
        if (!(p & 8)) work<24>(a, b);
    }
    FINISH; KEEP;
}
// Bodies that lanes below p do: 0 all skip, 32 nobody does, 8 they part. KIND 0: one body a trip; 1:
// two ways; 2: a body in a body with another way out; each then meets at a barrier (KIND + 3).
template <int KIND> __device__ __forceinline__ void part(float* buf, Cycles* out, int iters, int p) {
    SETUP;
    bool on = lane < p, inner = lane < 2 * p;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
        if (KIND % 3 == 0) { if (on) work<24>(a, b); }
        if (KIND % 3 == 1) { if (on) work<24>(a, b); else work<16>(a, b); }
        if (KIND % 3 == 2) {
            if (inner) { if (on && (i & 1024) == 0) work<24>(a, b); else work<16>(a, b); }
        }
        work<1>(a, b);
        if (KIND >= 3) __syncthreads();
    }
    FINISH; KEEP;
}
#define PART(KIND) extern "C" __global__ void part_##KIND(float* buf, Cycles* out, int iters, int p) { part<KIND>(buf, out, iters, p); }
PART(0) PART(1) PART(2) PART(3) PART(4) PART(5)

// A loop that lanes leave one after another, and one call a trip of a function that is not inlined.
extern "C" __global__ void leave(float* buf, Cycles* out, int iters, int p) {
    SETUP; BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll 1
        for (int k = 0; k < 8; k++) {
            work<8>(a, b);
            if (k * p == lane) break;
        }
        __syncwarp();
    }
    FINISH; KEEP;
}
__device__ __noinline__ float far(float a, float b) {
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(b));
    return a;
}
extern "C" __global__ void call(float* buf, Cycles* out, int iters, int p) {
    SETUP; BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) { a[0] = far(a[0], b); work<4>(a, b); }
    FINISH; KEEP;
}
