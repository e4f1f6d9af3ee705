// Which lines L1 keeps that are used again and again, pass after pass, beside lines used once.
//
// nvcc -O2 -std=c++17 -arch=sm_90 passes.cu -o passes; ./passes > figures.csv
// A pass takes the lines in groups of eight: each is loaded so many times in a row of eight, then come
// lines that are loaded once. What the first loads of a pass find is told.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
__device__ __forceinline__ unsigned now() {
    unsigned c;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
    return c;
}
__device__ __forceinline__ void use(unsigned v) {
    asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 0x7ffffff1;\n @q trap; }" ::"r"(v) : "memory");
}
__device__ __forceinline__ unsigned load(const char* from) {
    unsigned v;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
    return v;
}
__global__ void passes(const char* again, const char* once, int lines, int step, int uses, int others, int rounds,
                       unsigned* out) {
    const int lane = threadIdx.x * 4;
    size_t fresh = 0;
    for (int pass = 0; pass < rounds; pass++) {
        unsigned slow = 0;
        for (int i = 0; i < lines; i += 8) {
            for (int u = 0; u < uses; u++)
                for (int j = i; j < i + 8; j++) {
                    const unsigned begin = now();
                    use(load(again + (size_t)j * step * 128 + lane));
                    if (u == 0) slow += now() - begin > 200;
                }
            for (int j = 0; j < others; j += 4, fresh += 4) {
                unsigned v = 0;
#pragma unroll
                for (int k = 0; k < 4; k++) v += load(once + (fresh + k) * 128 + lane);
                use(v);
            }
        }
        if (threadIdx.x == 0) out[pass] = slow;
    }
}
int main() {
    const int counts[] = {256, 384, 512, 576, 640, 720, 800, 896, 1024, 1152, 1280, 1600};
    char *again, *once;
    unsigned *out, found[5];
    cudaMalloc(&again, 256 << 20), cudaMemset(again, 0, 256 << 20);
    cudaMalloc(&once, 512 << 20), cudaMemset(once, 0, 512 << 20);
    cudaMalloc(&out, sizeof found);
    cudaFuncSetAttribute(passes, cudaFuncAttributeMaxDynamicSharedMemorySize, 132 * 1024);
    for (int shared : {0, 132})
        for (int step : {1, 5})
            for (int uses : {1, 2, 4})
                for (int others : {0, 4, 12, 36})
                    for (int lines : counts) {
                        passes<<<1, 32, shared * 1024>>>(again, once, lines, step, uses, others, 5, out);
                        cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
                        printf("%d-%d-%d-%d-%d", shared, step, uses, others, lines);
                        for (unsigned n : found) printf(",%u", n);
                        printf("\n");
                    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
