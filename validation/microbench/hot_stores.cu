// Stores of all SMs to the same few words, alone and among loads, arithmetic and other stores.
//
// nvcc -O2 -std=c++17 -arch=sm_90 hot_stores.cu -o hot_stores; ./hot_stores > figures.csv
// In each round a warp does what BETWEEN says (1 a load from L2 and waits, 2 a load that hits L1 and
// waits, 3 a chain of 100 multiply-adds, 4 a store to a line of its own, 5 both 1 and 4), then `lanes` of
// its lanes store 4 bytes each to a shared line (same: all to one word). ns_a_round is the difference of
// the times of 600 and 200 rounds by the rounds of all warps.
template <int BETWEEN, int KIND>
__device__ __forceinline__ void run(int lanes, int same, int mask, int rounds, int* out, const int* table) {
    int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const char* from = (const char*)(table + (warp & 16383) * 32 + lane);
    int* own = out + (64 << 20) + (warp & 16383) * 2048;
    int off = 0;
    float a = lane;
    int* to = out + (same ? 0 : lane);
#pragma unroll 1
    for (int n = 0; n < rounds; n++) {
        if (BETWEEN == 1 || BETWEEN == 5) asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(off) : "l"(from + off) : "memory");
        if (BETWEEN == 2) asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(off) : "l"(from + off) : "memory");
        if (BETWEEN == 3) {
#pragma unroll
            for (int k = 0; k < 100; k++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(a));
        }
        if (BETWEEN == 4 || BETWEEN == 5)
            if (lane < 4) asm volatile("st.global.u32 [%0], %1;" ::"l"(own + (n & 63) * 32 + lane * 8), "r"(n + off) : "memory");
        int value = BETWEEN == 3 ? __float_as_int(a) : n + off;
        int* at = to + ((warp + n) & mask) * 1001 * 32;
        if (lane < lanes) {
            if (KIND == 0) asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
            if (KIND == 1) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
            if (KIND == 2) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(1.0f) : "memory");
            if (KIND == 3) asm volatile("red.global.add.u64 [%0], %1;" ::"l"((long long)at & ~7ll), "l"(1ll) : "memory");
            if (KIND == 4) asm volatile("red.global.add.f64 [%0], %1;" ::"l"((long long)at & ~7ll), "d"(1.0) : "memory");
            if (KIND == 5) asm volatile("red.global.max.s32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
        }
    }
    if (off == 12345 || a == 1.2345f) out[1] = 1;
}
#define ONE(name, BETWEEN, KIND)                                                                      \
    extern "C" __global__ void name(int lanes, int same, int mask, int rounds, int* out, const int* table) { \
        run<BETWEEN, KIND>(lanes, same, mask, rounds, out, table);                                         \
    }
ONE(b0, 0, 0) ONE(b1, 1, 0) ONE(b2, 2, 0) ONE(b3, 3, 0) ONE(b4, 4, 0) ONE(b5, 5, 0) ONE(red_u32, 0, 1) ONE(red_f32, 0, 2) ONE(red_u64, 0, 3) ONE(red_f64, 0, 4) ONE(red_max, 0, 5)

#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cuda_runtime.h>
typedef void (*Kernel)(int, int, int, int, int*, const int*);
int *out, *table;
void measure(const char* what, Kernel kernel, int between, int kind, int lanes, int same, int lines, int warps, int blocks, int sms) {
    double t[2];
    for (int half = 0; half < 2; half++) {
        cudaEvent_t a, b;
        cudaEventCreate(&a);
        cudaEventCreate(&b);
        double best = 1e9;
        for (int again = 0; again < 4; again++) {
            cudaEventRecord(a);
            kernel<<<sms * blocks, warps * 32>>>(lanes, same, lines - 1, half ? 600 : 200, out, table);
            cudaEventRecord(b);
            cudaEventSynchronize(b);
            float ms;
            cudaEventElapsedTime(&ms, a, b);
            if (ms < best) best = ms;
        }
        t[half] = best;
    }
    printf("%s,%d,%d,%d,%d,%d,%d,%d,%d,%.4f\n", what, between, kind, lanes, same, lines, warps, blocks, sms,
           (t[1] - t[0]) * 1e6 / (400.0 * sms * blocks * warps));
    fflush(stdout);
}
int main() {
    cudaMalloc(&out, 512ull << 20);
    cudaMalloc(&table, 16 << 20);
    cudaMemset(table, 0, 16 << 20);
    cudaMemset(out, 0, 512ull << 20);
    printf("what,between,kind,lanes,same,lines,warps,blocks,sms,ns_a_round\n");
    Kernel kernels[] = {b0, b1, b2, b3, b4, b5};
    struct { int warps, blocks; } shapes[] = {{1, 1}, {4, 1}, {8, 2}, {32, 2}};
    for (int between = 0; between < 6; between++)
        for (auto s : shapes)
            for (int lanes : {0, 1, 32}) {
                measure("all", kernels[between], between, 0, lanes, 1, 1, s.warps, s.blocks, 132);
                if (lanes < 2) measure("one", kernels[between], between, 0, lanes, 1, 1, s.warps, s.blocks, 1);
            }
    for (int between : {0, 1, 5})
        for (int lines : {2, 4, 16, 64, 1024}) measure("lines", kernels[between], between, 0, 1, 1, lines, 8, 2, 132);
    for (int lanes : {4, 8, 16, 32}) measure("width", b1, 1, 0, lanes, 0, 1, 8, 2, 132);
    for (int lines : {1, 16, 64}) measure("width", b1, 1, 0, 32, 0, lines, 8, 2, 132);
    Kernel reds[] = {red_u32, red_f32, red_u64, red_f64, red_max};
    for (int kind = 1; kind < 6; kind++)
        for (int lanes : {1, 32})
            for (int same : {1, 0}) {
                if (lanes == 1 && !same) continue;
                measure("red", reds[kind - 1], 0, kind, lanes, same, 1, 8, 2, 132);
                measure("red", reds[kind - 1], 0, kind, lanes, same, 1, 8, 2, 1);
            }
    measure("red", reds[1], 0, 2, 1, 1, 2, 8, 2, 132);
    measure("red", reds[1], 0, 2, 1, 1, 16, 8, 2, 132);
    measure("red", reds[1], 0, 2, 8, 0, 1, 8, 2, 132);
    measure("red", reds[0], 0, 1, 8, 0, 1, 8, 2, 132);
    return cudaDeviceSynchronize() != cudaSuccess;
}
#endif
