// What a store to a line that is on its way to L1 holds up: loads of other warps meanwhile.
//
// nvcc -O2 -std=c++17 -arch=sm_90 fills.cu -o fills; ./fills > fills.csv
// One warp loads a line that L2 does not have and stores at once: nothing (0), to another line (1), to the
// same sector (2), to another sector of the line (3). A second warp loads again and again, one after the
// other: what L2 has (0), what L1 has (1), from shared memory (2). A third loads another line of DRAM `later`
// cycles behind the first, or none (-1). Times since the first load, in cycles.
typedef unsigned long long Time;
__device__ __forceinline__ Time now() { Time t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory"); return t; }
__device__ __forceinline__ float far_load(const float* p) { float v; asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ float l2_load(const float* p) { float v; asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ void put(float* p, float v) { asm volatile("st.global.f32 [%0], %1;" ::"l"(p), "f"(v) : "memory"); }
__device__ __forceinline__ float shared_load(unsigned p) { float v; asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(p) : "memory"); return v; }
#define LOADS 24
extern "C" __global__ void fills(float* data, Time* out, int trials, int store, int kind, int later) {
    __shared__ float space[64];
    __shared__ Time begin;
    space[threadIdx.x & 63] = 0;
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    unsigned at = (unsigned)__cvta_generic_to_shared(space);
    float* known = data + lane;
    float sum = far_load(known + 1024) + l2_load(known + 2048);
    for (int trial = 0; trial < trials; trial++) {
        float* line = data + (1 << 19) * (trial + 1) + lane;  // a page of its own
        sum += l2_load(line + 4096) + far_load(known + 1024);
        if (sum == 1.2345f) put(known, sum);
        __syncthreads();
        if (threadIdx.x == 0) begin = now();
        __syncthreads();
        Time t0 = begin, *mine = out + trial * (LOADS + 4);
        if (warp == 0) {
            while (now() < t0 + 100);
            Time from = now();
            float v = far_load(line + 32);
            if (store == 1) put(line + 8192, 1.f);
            if (store == 2) put(line + 32, 1.f);
            if (store == 3) put(line + 32 + (lane < 8 ? 8 : 0), 1.f);
            if (lane == 0) mine[0] = now() - from;
            sum += v;
            if (sum == 1.2345f) put(known, sum);
            if (lane == 0) mine[1] = now() - from, mine[3] = from - t0;
        } else if (warp == 1) {
            while (now() < t0 + 120);
            for (int k = 0; k < LOADS; k++) {
                float v = kind == 0 ? l2_load(known + 2048 + 64 * k) : kind == 1 ? far_load(known + 1024) : shared_load(at + 4 * lane);
                sum += v;
                if (sum == 1.2345f) put(known, sum);
                if (lane == 0) mine[4 + k] = now() - t0 - 100;
            }
        } else if (warp == 2 && later >= 0) {
            while (now() < t0 + 100 + later);
            float v = far_load(line + 16384);
            sum += v;
            if (sum == 1.2345f) put(known, sum);
            if (lane == 0) mine[2] = now() - t0 - 100;
        }
        __syncthreads();
    }
}
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
int main() {
    const int trials = 200;
    float* data;
    Time* out;
    cudaMalloc(&data, 2ul << 30), cudaMalloc(&out, 1 << 20);
    char* flush;
    cudaMalloc(&flush, 256 << 20);
    printf("store,kind,later,issued,there,other,loads\n");
    for (int kind = 0; kind < 3; kind++)
        for (int later : {-1, 30, 400})
            for (int store = 0; store < 4; store++) {
                cudaMemset(data, 0, 2ul << 30), cudaMemset(flush, 1, 256 << 20), cudaMemset(out, 0, 1 << 20);
                fills<<<1, 96>>>(data, out, trials, store, kind, later);
                std::vector<Time> all(trials * (LOADS + 4));
                cudaMemcpy(all.data(), out, all.size() * 8, cudaMemcpyDeviceToHost);
                printf("%d,%d,%d", store, kind, later);
                for (int c : {0, 1, 2}) {
                    std::vector<Time> v;
                    for (int t = 20; t < trials; t++) v.push_back(all[t * (LOADS + 4) + c]);
                    std::sort(v.begin(), v.end());
                    printf(",%llu", v[v.size() / 2]);
                }
                for (int c = 4; c < LOADS + 4; c++) {
                    std::vector<Time> v;
                    for (int t = 20; t < trials; t++) v.push_back(all[t * (LOADS + 4) + c]);
                    std::sort(v.begin(), v.end());
                    printf("%c%llu", c == 4 ? ',' : ' ', v[v.size() / 2]);
                }
                printf("\n");
            }
    return cudaDeviceSynchronize() != cudaSuccess;
}
