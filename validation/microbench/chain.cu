// Reads from DRAM one after the other, caches flushed or L2 full of something else: cycles of each.
//
// nvcc -O2 -std=c++17 -arch=sm_90 chain.cu -o chain
// ncu --cache-control all (or none) --clock-control none --csv --page raw -k regex:go
//     --metrics gpu__time_duration.sum ./chain figures.csv
// Every warp reads a line, adds what it got to the next address, and so on; ALL: all SMs the same lines.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
extern "C" __global__ void sweep(const float4* buf, long long n, float* out) {
    float s = 0;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += buf[i].x;
    if (s == 1.2345f) out[0] = s;
}
extern "C" __global__ void go(const unsigned* buf, int reads, unsigned step, int all, unsigned* out) {
    unsigned warp = threadIdx.x >> 5, warps = blockDim.x >> 5, lane = threadIdx.x & 31;
    unsigned at = ((all ? 0 : blockIdx.x) * warps + warp) * 32 + lane, sum = 0;
    for (int k = 0; k < reads; k++) {
        unsigned begin, end, v;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(buf + at + sum) : "memory");
        sum += v;
        asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 0x7ffffff1;\n @q trap; }" ::"r"(sum) : "memory");
        asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
        if (lane == 0) out[(blockIdx.x * warps + warp) * reads + k] = end - begin;
        at += step;
    }
}
int main(int count, char** argv) {
    unsigned *buf, *out;
    char* other;
    cudaMalloc(&buf, 1ull << 30);
    cudaMalloc(&other, 256 << 20);
    cudaMalloc(&out, 64 << 20);
    cudaMemset(buf, 0, 1ull << 30);
    cudaMemset(other, 0, 256 << 20);
    FILE* f = fopen(argv[1], "w");
    fprintf(f, "grid,threads,step,all,first,second,mean,p10,p50,p90\n");
    int turn = 0;
    for (int again = 0; again < 2; again++)
        for (int grid : {1, 16, 132})
            for (int threads : {32, 128, 512})
                for (int all : {0, 1})
                    for (unsigned step : {0u, 20480u}) {  // side by side, or 80 KiB on
                        int reads = 60, warps = threads / 32;
                        unsigned s = step ? step : grid * warps * 32;
                        if (step && !all && grid * warps * 32 > 20480) continue;
                        unsigned* from = buf + ((size_t)(turn++ % 96) << 21);
                        sweep<<<1056, 256>>>((float4*)other, 16 << 20, (float*)out);
                        go<<<grid, threads>>>(from, reads, s, all, out);
                        std::vector<unsigned> t((size_t)grid * warps * reads);
                        cudaMemcpy(t.data(), out, 4 * t.size(), cudaMemcpyDeviceToHost);
                        double first = 0, second = 0, sum = 0;
                        std::vector<unsigned> rest;
                        for (size_t i = 0; i < t.size(); i++) {
                            int k = i % reads;
                            if (k == 0) first += t[i]; else if (k == 1) second += t[i];
                            if (k >= 10) sum += t[i], rest.push_back(t[i]);
                        }
                        std::sort(rest.begin(), rest.end());
                        fprintf(f, "%d,%d,%u,%d,%.0f,%.0f,%.0f,%u,%u,%u\n", grid, threads, s, all, first / (grid * warps), second / (grid * warps), sum / rest.size(), rest[rest.size() / 10], rest[rest.size() / 2], rest[rest.size() * 9 / 10]);
                        fflush(f);
                    }
    fclose(f);
    return cudaDeviceSynchronize() != cudaSuccess;
}
