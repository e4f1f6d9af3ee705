// Rounds of reads that depend on each other, with flushed caches, with L2 full of other lines, and warm.
//
// nvcc -O2 -std=c++17 -arch=sm_90 rounds.cu -o rounds
// ncu --cache-control all --clock-control none -k regex:go --metrics sm__cycles_active.max ./rounds flushed.csv 0
// ./rounds evicted.csv 1; ./rounds warm.csv 2
// A block of eight warps makes `rounds` rounds: every warp loads 16 bytes a lane of `rows` rows, `pitch`
// bytes apart, that all its warps load (chunk `blockIdx % across` of the row), and in one round of
// `every` 64 bytes each of two rows of its own. Out: cycles of each round by block, slowest warp.
__device__ __forceinline__ unsigned now() { unsigned c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory"); return c; }
extern "C" __global__ void go(const char* a, const char* b, int rounds, int rows, int pitch, int across, int every, int meet, unsigned* out) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, wide = 32 / rows;
    unsigned at = 0;
    const char* shared = b + (size_t)(lane / wide) * pitch + (blockIdx.x % across) * wide * 16 + lane % wide * 16;
    const char* own = a + (size_t)(blockIdx.x / across * 16 + warp * 2 + (lane >> 2 & 1)) * pitch + lane % 4 * 16;
    for (int n = 0; n < rounds; n++) {
        unsigned begin = now(), v[4], w[4] = {0, 0, 0, 0};
        asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(shared + at) : "memory");
        if (every && n % every == 0 && lane < 8) asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(own + n / every * 64 + at) : "memory");
        at += __reduce_or_sync(~0u, v[0] + w[0]);
        asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 0x7ffffff1;\n @q trap; }" ::"r"(at) : "memory");
        if (meet) __syncthreads();
        unsigned took = now() - begin;
        if (lane == 0) atomicMax(&out[blockIdx.x * 64 + n], took);
        shared += (size_t)rows * pitch;
    }
}
#ifndef __CUDACC_RTC__
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
__global__ void sweep(const float4* buf, size_t n, float* out) {
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += buf[i].x;
    if (s == 1.2345f) out[0] = s;
}
struct Plan { int grid, threads, rounds, rows, pitch, across, every, meet; };
int main(int count, char** argv) {
    char *a, *b, *other;
    unsigned* out;
    size_t size = 256 << 20;
    cudaMalloc(&a, size); cudaMalloc(&b, size); cudaMalloc(&other, size); cudaMalloc(&out, 1 << 20);
    cudaMemset(a, 0, size); cudaMemset(b, 0, size); cudaMemset(other, 0, size);
    FILE* file = fopen(argv[1], "w");
    int mode = atoi(argv[2]);
    fprintf(file, "grid,threads,rounds,rows,pitch,across,every,meet,again,cycles of rounds: mean of blocks ...; most ...; whole chain of each block\n");
    std::vector<Plan> plans;
    for (int grid : {1, 4, 16, 132}) {
        plans.push_back({grid, 32, 16, 1, 512, 1, 0, 0});
        plans.push_back({grid, 32, 16, 8, 256, 4, 0, 0});
        plans.push_back({grid, 256, 16, 8, 256, 4, 0, 0});
        plans.push_back({grid, 256, 16, 8, 256, 4, 3, 0});
        plans.push_back({grid, 256, 16, 8, 256, 4, 1, 0});
        plans.push_back({grid, 256, 16, 8, 256, 4, 1, 1});
        plans.push_back({grid, 256, 16, 4, 4096, 32, 1, 1});
        plans.push_back({grid, 256, 16, 4, 512, 4, 1, 1});
    }
    std::vector<unsigned> host(64 * 132);
    for (int again = 0; again < 4; again++)
        for (Plan& p : plans) {
            size_t skip = mode == 2 ? 0 : (size_t)(again * 7 + 1) << 20;
            if (mode == 1) sweep<<<1056, 256>>>((float4*)other, size / 16, (float*)out);
            for (int turn = 0; turn < (mode == 2 ? 2 : 1); turn++) {
                cudaMemset(out, 0, 64 * 132 * 4);
                go<<<p.grid, p.threads>>>(a + skip, b + skip, p.rounds, p.rows, p.pitch, p.across, p.every, p.meet, out);
            }
            cudaMemcpy(host.data(), out, host.size() * 4, cudaMemcpyDeviceToHost);
            fprintf(file, "%d,%d,%d,%d,%d,%d,%d,%d,%d", p.grid, p.threads, p.rounds, p.rows, p.pitch, p.across, p.every, p.meet, again);
            for (int n = 0; n < p.rounds; n++) { double s = 0; for (int k = 0; k < p.grid; k++) s += host[64 * k + n]; fprintf(file, ",%.0f", s / p.grid); }
            fprintf(file, ";");
            for (int n = 0; n < p.rounds; n++) { unsigned s = 0; for (int k = 0; k < p.grid; k++) s = std::max(s, host[64 * k + n]); fprintf(file, "%u,", s); }
            fprintf(file, ";");
            for (int k = 0; k < p.grid; k++) { unsigned s = 0; for (int n = 0; n < p.rounds; n++) s += host[64 * k + n]; fprintf(file, "%u,", s); }
            fprintf(file, "\n");
        }
    fclose(file);
    return cudaDeviceSynchronize() != cudaSuccess;
}
#endif
