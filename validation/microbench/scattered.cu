// Chunks of memory at random places: loads and stores of 4 or 16 bytes a lane, larger and larger footprints.
//
// nvcc -O2 -std=c++17 -arch=sm_90 scattered.cu -o scattered; ./scattered > figures.csv
// Each figure is the best of four launches of 2048 (or fewer) threads an SM in a loop, AHEAD loads in flight
// each.
template <class T> __device__ T load(const T* from);
template <> __device__ float4 load(const float4* from) {
    float4 v;
    asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(from));
    return v;
}
template <> __device__ float load(const float* from) {
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from));
    return v;
}
__device__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }
__device__ float sum(float v) { return v; }
// chunks of 2^shift elements, mask + 1 of them
template <class T, int AHEAD, int STORE>
__device__ __forceinline__ void run(T* buf, unsigned mask, int shift, int rounds, float* out) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned item = thread, step = threads, in = (1u << shift) - 1;
    if (shift > 5) item = (thread / 32) * (rounds * 32) + (thread & 31), step = 32;
    float total = 0;
    for (int n = 0; n < rounds; n += AHEAD) {
        T v[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            unsigned h = (item >> shift) * 0x9E3779B1u;
            h ^= h >> 15;
            h *= 0x85EBCA77u;
            h ^= h >> 13;
            T* at = buf + ((size_t)(h & mask) << shift) + (item & in);
            if (STORE) *at = T{};
            else v[k] = load(at);
            item += step;
        }
        if (!STORE)
            for (int k = 0; k < AHEAD; k++) total += sum(v[k]);
    }
    if (total == 1.2345f) out[0] = total;
}
#define ONE(name, T, AHEAD, STORE)                                                               \
    extern "C" __global__ void name(T* buf, unsigned mask, int shift, int rounds, float* out) {  \
        run<T, AHEAD, STORE>(buf, mask, shift, rounds, out);                                     \
    }
ONE(load4_4, float, 4, 0) ONE(load16_4, float4, 4, 0) ONE(load16_2, float4, 2, 0) ONE(load16_1, float4, 1, 0)
ONE(store4_4, float, 4, 1) ONE(store16_4, float4, 4, 1)

#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cuda_runtime.h>
template <class T, int AHEAD, int STORE>
void measure(void (*run)(T*, unsigned, int, int, float*), T* buf, float* out, unsigned long long mib, int bytes, int per_sm) {
    int shift = 0;
    while ((sizeof(T) << shift) < (unsigned)bytes) shift++;
    if ((sizeof(T) << shift) != (unsigned)bytes) return;
    unsigned mask = (unsigned)((mib << 20) / bytes - 1);
    int rounds = 64, block = per_sm < 256 ? per_sm : 256;
    double best = 1e9;
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (int again = 0; again < 4; again++) {
        cudaEventRecord(a);
        run<<<132 * (per_sm / block), block>>>(buf, mask, shift, rounds, out);
        cudaEventRecord(b);
        cudaEventSynchronize(b);
        float ms;
        cudaEventElapsedTime(&ms, a, b);
        if (ms < best) best = ms;
    }
    double moved = 132.0 * per_sm * rounds * sizeof(T);
    printf("%d,%d,%s,%d,%llu,%d,%.2f,%.1f\n", AHEAD, (int)sizeof(T), STORE ? "store" : "load", per_sm, mib, bytes, best * 1e3, moved / best / 1e6);
    fflush(stdout);
}
int main() {
    float4* buf;
    float* out;
    if (cudaMalloc(&buf, 64ull << 30) != cudaSuccess) return 1;
    cudaMalloc(&out, 4);
    printf("ahead,width,kind,threads,mib,bytes,us,gb_s\n");
    for (unsigned long long mib : {16ull, 128ull, 1024ull, 8192ull, 65536ull})
        for (int bytes : {32, 64, 128, 256, 512, 1024, 2048, 4096, 16384}) {
            measure<float4, 4, 0>(load16_4, buf, out, mib, bytes, 2048);
            if (bytes < 1000) measure<float, 4, 0>(load4_4, (float*)buf, out, mib, bytes, 2048);
            if (mib == 1024) measure<float4, 1, 0>(load16_1, buf, out, mib, bytes, 2048);
            if (mib == 1024) measure<float4, 4, 0>(load16_4, buf, out, mib, bytes, 256);
            if (mib == 1024) measure<float4, 2, 0>(load16_2, buf, out, mib, bytes, 1024);
        }
    for (unsigned long long mib : {16ull, 1024ull})
        for (int bytes : {32, 64, 128, 256, 512, 4096}) {
            measure<float4, 4, 1>(store16_4, buf, out, mib, bytes, 2048);
            if (bytes < 1000) measure<float, 4, 1>(store4_4, (float*)buf, out, mib, bytes, 2048);
        }
    return cudaDeviceSynchronize() != cudaSuccess;
}
#endif
