// Small launches with flushed caches: how long first loads and stores of several pages take.
//
// nvcc -O2 -std=c++17 -arch=sm_90 cold_pages.cu -o cold_pages
// ncu --cache-control all --clock-control none --csv --page raw
//     --metrics gpu__time_duration.sum,sm__cycles_active.max ./cold_pages figures.txt
// Threads load from `loads` arrays at once or (chain) one after the other and store to another, or not;
// arrays are `apart` bytes apart. figures.txt: for each launch, of the cycles of each warp until its
// loads are there: median, 90 percent, most; and the slowest warp's of the first SM.
extern "C" __global__ void go(const float* buf, float* to, unsigned long long apart, int loads, int chain, int store, unsigned* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned begin = clock(), v[4] = {0, 0, 0, 0}, at = 0;
    if (chain) {
        for (int k = 0; k < loads; k++) {
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[0]) : "l"(buf + k * apart + i + at) : "memory");
            at += v[0];
        }
    } else {
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (k < loads) asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k]) : "l"(buf + k * apart + i) : "memory");
    }
    unsigned sum = v[0] + v[1] + v[2] + v[3];
    asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 0x7ffffff1;\n @q trap; }" ::"r"(sum) : "memory");
    unsigned took = clock() - begin;
    if (store == 1) to[i] = sum;
    if (store == 2) to[(unsigned long long)(i % 32) * 4096 + i / 32] = sum;
    if ((threadIdx.x & 31) == 0) out[i / 32] = took;
}

#ifndef __CUDACC_RTC__
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
struct Plan { int loads, chain, store; size_t apart; int grid, threads; };
int main(int count, char** argv) {
    float *buf, *to;
    unsigned* out;
    cudaMalloc(&buf, 1ull << 30);
    cudaMalloc(&to, 64 << 20);
    cudaMalloc(&out, 2 << 20);
    cudaMemset(buf, 0, 1ull << 30);
    FILE* file = fopen(argv[1], "w");
    std::vector<Plan> plans;
    for (size_t apart : {1ul << 14, 1ul << 19, 1ul << 24})  // in elements: 64 KiB, 2 MiB, 64 MiB
        for (int grid : {1, 16, 132})
            for (int loads : {1, 2, 4}) plans.push_back({loads, 0, 0, apart, grid, 128});
    for (int grid : {1, 16, 132})
        for (int loads : {2, 4}) plans.push_back({loads, 1, 0, 1ul << 24, grid, 128});
    for (int store : {1, 2})
        for (int grid : {1, 16, 132})
            for (int loads : {0, 1}) plans.push_back({loads, 0, store, 1ul << 19, grid, 128});
    for (int threads : {32, 256, 1024}) plans.push_back({1, 0, 0, 1ul << 19, 132, threads});
    std::vector<unsigned> host(1 << 16);
    for (int again = 0; again < 3; again++)
        for (Plan& p : plans) {
            go<<<p.grid, p.threads>>>(buf, to, p.apart, p.loads, p.chain, p.store, out);
            int warps = p.grid * p.threads / 32;
            cudaMemcpy(host.data(), out, 4 * warps, cudaMemcpyDeviceToHost);
            std::sort(host.begin(), host.begin() + warps);
            fprintf(file, "%d,%d,%d,%zu,%d,%d,%u,%u,%u\n", p.loads, p.chain, p.store, p.apart * 4, p.grid, p.threads,
                    host[warps / 2], host[warps * 9 / 10], host[warps - 1]);
        }
    fclose(file);
    return cudaDeviceSynchronize() != cudaSuccess;
}
#endif
