// MATCH.ANY among lanes with p different values: each needs the one before (chain), or four are on their
// way (many). Signatures and figures as in probes.cu.

typedef long long Cycles;

#define WARP (threadIdx.x >> 5)
#define PLACE (blockIdx.x * (blockDim.x >> 5) + WARP)
#define BEGIN Cycles begin = clock64()
#define FINISH Cycles took = clock64() - begin; if ((threadIdx.x & 31) == 0) out[PLACE] = took

template <bool CHAIN> __device__ __forceinline__ void match(float* buf, Cycles* out, int iters, int p) {
    unsigned x = threadIdx.x % p, sum = 0;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned found;
            asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(found) : "r"(x));
            if (CHAIN) x = found ? x : found; else sum += found;
        }
    }
    FINISH;
    if (x + sum == 12345u) buf[0] = sum;
}
extern "C" __global__ void match_chain(float* buf, Cycles* out, int iters, int p) { match<true>(buf, out, iters, p); }
extern "C" __global__ void match_many(float* buf, Cycles* out, int iters, int p) { match<false>(buf, out, iters, p); }
