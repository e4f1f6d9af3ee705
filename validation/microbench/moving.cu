// Blocks that bring numbers in, meet or not, and put them out: from flushed caches, and again and again.
//
// nvcc -O2 -std=c++17 -arch=sm_90 moving.cu -o moving; ./moving > warm.csv
// ncu --cache-control all --clock-control none --csv --page raw --metrics ... ./moving once
// Each thread loads LOADS numbers of 4 or 16 bytes, a block's are side by side. MEET: 0 it stores them
// itself, 1 the block's threads store each other's after a barrier, 2 they add all up first (shuffles,
// a barrier). READS arrays are read and one is written, or none.
#define FULL 0xffffffffu
__device__ float first(float v) { return v; }
__device__ float first(float4 v) { return v.x + v.y + v.z + v.w; }
__device__ float plus(float a, float b) { return a + b; }
__device__ float4 plus(float4 a, float4 b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
__device__ float times(float a, float s) { return a * s; }
__device__ float4 times(float4 a, float s) { return {a.x * s, a.y * s, a.z * s, a.w * s}; }

template <class T, int LOADS, int READS, int MEET, bool STORE>
__device__ __forceinline__ void move(const T* a, const T* b, T* out) {
    __shared__ T held[MEET == 1 ? 1024 : 1];
    __shared__ float sums[32];
    const size_t at = (size_t)blockIdx.x * blockDim.x * LOADS + threadIdx.x;
    T v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++) v[k] = a[at + k * blockDim.x];
    if (READS == 2) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) v[k] = plus(v[k], b[at + k * blockDim.x]);
    }
    float sum = 0;
    if (MEET == 1) {
        held[threadIdx.x] = v[0];
        __syncthreads();
        v[0] = held[threadIdx.x ^ 32];
    }
    if (MEET == 2 || !STORE) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum += first(v[k]);
    }
    if (MEET == 2) {
        for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(FULL, sum, d);
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
        __syncthreads();
        sum = 0;
        for (int w = 0; w < blockDim.x / 32; w++) sum += sums[w];
#pragma unroll
        for (int k = 0; k < LOADS; k++) v[k] = times(v[k], sum);
    }
    if (STORE) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) out[at + k * blockDim.x] = v[k];
    } else if (sum == 1.2345f) out[at] = v[0];
}
#define ONE(name, T, LOADS, READS, MEET, STORE)                                  \
    extern "C" __global__ void name(const T* a, const T* b, T* out) {            \
        move<T, LOADS, READS, MEET, STORE>(a, b, out);                           \
    }
ONE(copy_4x1, float, 1, 1, 0, true) ONE(copy_4x4, float, 4, 1, 0, true)
ONE(copy_16x1, float4, 1, 1, 0, true) ONE(copy_16x2, float4, 2, 1, 0, true)
ONE(add_4x1, float, 1, 2, 0, true) ONE(add_16x1, float4, 1, 2, 0, true)
ONE(meet_4x1, float, 1, 1, 1, true) ONE(meet_16x1, float4, 1, 1, 1, true)
ONE(sum_4x4, float, 4, 1, 2, true) ONE(sum_16x1, float4, 1, 1, 2, true) ONE(sum_16x2, float4, 2, 1, 2, true)
ONE(look_4x4, float, 4, 1, 2, false) ONE(look_16x2, float4, 2, 1, 2, false)
ONE(read_4x4, float, 4, 1, 0, false)

#ifndef __CUDACC_RTC__
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
char* base;
bool once;
template <class T>
void go(const char* name, void (*kernel)(const T*, const T*, T*), int loads, int reads, int threads) {
    static int turn = 0;
    for (int mib : {2, 6, 12, 16, 24, 48, 128}) {
        size_t bytes = (size_t)mib << 20;
        int grid = bytes / sizeof(T) / loads / threads;
        char* from = once ? base + ((turn++ * 37l) % 64 << 22) : base;
        const T *a = (const T*)from, *b = (const T*)(from + bytes);
        T* out = (T*)(from + 2 * bytes);
        if (once) {
            kernel<<<grid, threads>>>(a, b, out);
            cudaDeviceSynchronize();
            continue;
        }
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        cudaGraph_t graph;
        cudaGraphExec_t run;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        for (int k = 0; k < 20; k++) kernel<<<grid, threads, 0, stream>>>(a, b, out);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&run, graph, 0);
        cudaEvent_t begin, end;
        cudaEventCreate(&begin);
        cudaEventCreate(&end);
        std::vector<float> times;
        for (int again = 0; again < 9; again++) {
            cudaEventRecord(begin, stream);
            cudaGraphLaunch(run, stream);
            cudaEventRecord(end, stream);
            cudaEventSynchronize(end);
            float ms;
            cudaEventElapsedTime(&ms, begin, end);
            times.push_back(ms * 50);
        }
        std::sort(times.begin(), times.end());
        printf("%s,%d,%d,%d,%.3f\n", name, threads, mib, grid, times[3]);
        fflush(stdout);
    }
}
#define GO(name, T, loads, reads, threads) go<T>(#name, name, loads, reads, threads);
int main(int count, char** argv) {
    once = count > 1 && !strcmp(argv[1], "once");
    cudaMalloc(&base, 1ul << 30);
    cudaMemset(base, 0, 1ul << 30);
    if (!once) printf("kernel,threads,mib,grid,warm_us\n");
    GO(copy_4x1, float, 1, 1, 256) GO(copy_4x1, float, 1, 1, 1024) GO(copy_4x4, float, 4, 1, 256) GO(copy_4x4, float, 4, 1, 1024)
    GO(copy_16x1, float4, 1, 1, 256) GO(copy_16x2, float4, 2, 1, 256)
    GO(add_4x1, float, 1, 2, 256) GO(add_16x1, float4, 1, 2, 256)
    GO(meet_4x1, float, 1, 1, 256) GO(meet_4x1, float, 1, 1, 1024) GO(meet_16x1, float4, 1, 1, 256) GO(meet_16x1, float4, 1, 1, 512)
    GO(sum_4x4, float, 4, 1, 256) GO(sum_4x4, float, 4, 1, 512) GO(sum_16x1, float4, 1, 1, 256) GO(sum_16x1, float4, 1, 1, 1024)
    GO(sum_16x2, float4, 2, 1, 256) GO(look_4x4, float, 4, 1, 256) GO(look_16x2, float4, 2, 1, 256) GO(read_4x4, float, 4, 1, 256)
    return cudaDeviceSynchronize() != cudaSuccess;
}
#endif
