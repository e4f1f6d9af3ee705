// What a set of L1 keeps: sequences of blocks of 512 lines, a line of each set in every block.
//
// nvcc -O2 -std=c++17 -arch=sm_90 sets.cu -o sets; ./sets < SEQUENCES > figures.csv
// A sequence has capitals for blocks that come again and `w` for one that comes once; of a block behind
// `?` is told how many lines were lost.
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>
#include <cuda_runtime.h>
__constant__ unsigned order[16000];
__device__ __forceinline__ unsigned now() {
    unsigned c;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
    return c;
}
__device__ __forceinline__ void use(unsigned v) {
    asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 0x7ffffff1;\n @q trap; }" ::"r"(v) : "memory");
}
__global__ void walk(const char* buf, int count, unsigned char* late) {
    for (int i = 0; i < count; i++) {
        const unsigned begin = now();
        unsigned v;
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(buf + (size_t)order[i] * 128 + threadIdx.x * 4) : "memory");
        use(v);
        const unsigned took = now() - begin;
        if (threadIdx.x == 0) late[i] = took > 200;
    }
}
int main() {
    char* buf;
    unsigned char* late;
    cudaMalloc(&buf, 64 << 20), cudaMemset(buf, 0, 64 << 20), cudaMalloc(&late, 16000);
    for (std::string line; std::getline(std::cin, line);) {
        std::vector<unsigned> places;
        std::vector<size_t> asked;
        unsigned fresh = 30;
        for (size_t n = 0; n < line.size(); n++) {
            if (line[n] == '?') continue;
            const unsigned block = line[n] == 'w' ? fresh++ : line[n] - 'A' + 1;
            if (n && line[n - 1] == '?') asked.push_back(places.size());
            for (unsigned s = 0; s < 512; s++) places.push_back(block * 512 + s);
        }
        if (places.size() > 16000) continue;
        std::vector<unsigned char> found(places.size());
        cudaMemcpyToSymbol(order, places.data(), places.size() * 4);
        walk<<<1, 32>>>(buf, places.size(), late);
        cudaMemcpy(found.data(), late, found.size(), cudaMemcpyDeviceToHost);
        printf("%s", line.c_str());
        for (size_t first : asked) {
            int lost = 0;
            for (size_t s = 0; s < 512; s++) lost += found[first + s];
            printf(",%d", lost);
        }
        printf("\n");
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
