// What a block costs beyond its instructions: blocks that do little, 100 for each place on each SM.
//
// nvcc -O3 -std=c++17 -arch=sm_90 block_start.cu -o block_start; ./block_start
#include <algorithm>
#include <cstdio>
#include <vector>
__global__ void empty(float*, int) {}
__global__ void thread_number(float* p, int n) { if (threadIdx.x == n) p[0] = 1; }
__global__ void place(float* p, int n) { if (blockIdx.x * blockDim.x + threadIdx.x == n) p[0] = 1; }
__global__ void load_one(float* p, int n) { float v = p[threadIdx.x & 31]; if (v == 1.25f) p[n] = v; }
__global__ void load_own(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float v = p[i & 0xfffff]; if (v == 1.25f) p[n] = v; }
__global__ void store_own(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; p[i & 0xfffff] = n; }
__global__ void two_loads(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float v = p[i & 0xfffff]; v += p[(i + (int)v + 4096) & 0xfffff]; if (v == 1.25f) p[n] = v; }
__global__ void wait_a_while(float* p, int n) { long long t = clock64(); while (clock64() - t < 2000); if (threadIdx.x == n) p[0] = 1; }
__global__ void block_number(float* p, int n) { if (blockIdx.x == n) p[0] = 1; }
__global__ void block_twice(float* p, int n) { unsigned a, b; asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(a)); asm volatile("mov.u32 %0, %%ctaid.y;" : "=r"(b)); if (a + b == n) p[0] = 1; }
__global__ void dimension(float* p, int n) { if (threadIdx.x + blockDim.x == n) p[0] = 1; }
__global__ void grid_dimension(float* p, int n) { if (threadIdx.x * gridDim.x == n) p[0] = 1; }
__global__ void both(float* p, int n) { if (blockIdx.x * blockDim.x == n) p[0] = 1; }
int main() {
    float* p; cudaMalloc(&p, 64 << 20);
    void (*ks[])(float*, int) = {empty, thread_number, place, block_number, block_twice, dimension, grid_dimension, both,
                                 load_one, load_own, store_own, two_loads, wait_a_while};
    const char* names[] = {"empty", "thread_number", "place", "block_number", "block_twice", "dimension", "grid_dimension", "both",
                           "load_one", "load_own", "store_own", "two_loads", "wait_a_while"};
    for (int k = 0; k < 13; ++k) for (int threads : {512, 768, 1024}) {
        int slots = 2048 / threads, grid = 132 * slots * 100; std::vector<float> ts;
        cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
        for (int r = 0; r < 7; ++r) { cudaEventRecord(a); for (int q = 0; q < 4; ++q) ks[k]<<<grid, threads>>>(p, 1 << 30); cudaEventRecord(b); cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms, a, b); ts.push_back(ms / 4); }
        std::sort(ts.begin(), ts.end());
        double each = (ts[3] * 1e-3 - 3e-6) * 1.98e9 / (slots * 100);
        printf("%s,%d,%.1f,%.1f\n", names[k], threads, each, each * slots);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
