// Latency of L2 under load: loops with 1, 2 or 4 loads of 4 or 16 bytes a thread in flight, past L1,
// from 16 MB, by threads an SM.
//
// nvcc -O3 -std=c++17 -arch=sm_90 l2_load.cu -o l2_load; ./l2_load
#include <algorithm>
#include <cstdio>
#include <vector>
template <class T> __device__ T load(const T* p);
template <> __device__ float load(const float* p) { float v; asm volatile("ld.global.cg.f32 %0,[%1];" : "=f"(v) : "l"(p)); return v; }
template <> __device__ float4 load(const float4* p) { float4 v; asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p)); return v; }
__device__ float first(float v) { return v; }
__device__ float first(float4 v) { return v.x; }
template <class T, int U> __global__ void loop(const T* a, float* out, int mask, int trips, long long* clocks) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    long long begin = clock64();
    for (int t = 0; t < trips; ++t) {
        T v[U];
#pragma unroll
        for (int u = 0; u < U; ++u) { v[u] = load(a + (i & mask)); i += step; }
        float s = 0;
#pragma unroll
        for (int u = 0; u < U; ++u) s += first(v[u]);
        if (s == 1.2345f) out[i] = s;
    }
    long long end = clock64();
    if (threadIdx.x == 0) clocks[blockIdx.x] = end - begin;
}
template <class T, int U> void go(const char* name, void* base, long long* clocks, float* out) {
    for (int threads : {32, 64, 128, 256, 512, 1024, 2048}) {
        int block = std::min(threads, 1024), grid = 132 * (threads / block), trips = 400;
        int mask = (16 << 20) / sizeof(T) - 1;
        std::vector<long long> c(grid);
        for (int r = 0; r < 2; ++r) loop<T, U><<<grid, block>>>((const T*)base, out, mask, trips, clocks);
        cudaMemcpy(c.data(), clocks, 8 * grid, cudaMemcpyDeviceToHost);
        std::sort(c.begin(), c.end());
        double cycles = c[grid / 2], bytes = (double)threads * 132 * U * sizeof(T) * trips;
        printf("%s,%d,%.1f,%.1f\n", name, threads, cycles / trips, bytes / cycles);
    }
}
int main() {
    void* base; float* out; long long* clocks;
    cudaMalloc(&base, 16 << 20); cudaMalloc(&out, 1 << 20); cudaMalloc(&clocks, 1 << 16);
    cudaMemset(base, 0, 16 << 20);
    printf("kernel,threads,cycles a trip,bytes a cycle\n");
    go<float, 1>("w4u1", base, clocks, out); go<float, 2>("w4u2", base, clocks, out); go<float, 4>("w4u4", base, clocks, out);
    go<float4, 1>("w16u1", base, clocks, out); go<float4, 2>("w16u2", base, clocks, out); go<float4, 4>("w16u4", base, clocks, out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
