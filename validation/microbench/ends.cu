// Where blocks of a launch run and when they begin and end, when there are a few more than fit at once.
//
// nvcc -O2 -std=c++17 -arch=sm_90 ends.cu -o ends; ./ends > ends.csv
// A block multiplies a tile: `steps` times it loads (4 floats a lane) what blocks of its row and column
// load, too, stores that to shared memory and multiplies, MORE times as much for each load. `held` bytes
// of shared memory say how many blocks fit on an SM.
__device__ __forceinline__ unsigned long long now() { unsigned long long c; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(c)::"memory"); return c; }
template <int MORE> __device__ __forceinline__ void tile(const float4* a, const float4* b, float* c, int across, int steps, int k, unsigned long long* out) {
    __shared__ float4 as[128 + 8], bs[128 + 8];
    extern __shared__ float held[];
    unsigned long long begin = now();
    unsigned start, end;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(start)::"memory");
    int t = threadIdx.x, row = blockIdx.x / across, column = blockIdx.x % across;
    const float4* from = a + (size_t)(row * 16 + t / 8) * k + t % 8;
    const float4* with = b + (size_t)(column * 16 + t / 8) * k + t % 8;
    float sum[16] = {};
    for (int n = 0; n < steps; n++) {
        float4 x = from[8 * n], y = with[8 * n];
        as[t] = x; bs[t] = y;
        __syncthreads();
#pragma unroll
        for (int m = 0; m < MORE; m++) {
            float4 p = as[(t / 16 + 8 * m) & 127], q = bs[(t % 16 + 16 * m) & 127];
            float ps[4] = {p.x, p.y, p.z, p.w}, qs[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sum[4 * i + j] = fmaf(ps[i], qs[j], sum[4 * i + j]);
        }
        __syncthreads();
    }
    float all = 0;
    for (int i = 0; i < 16; i++) all += sum[i];
    if (all == 1.2345f) held[t] = all, c[t] = held[t ^ 1];
    asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
    if (t == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        unsigned long long* row = out + blockIdx.x * 4;
        row[0] = sm; row[1] = begin; row[2] = now(); row[3] = end - start;
    }
}
#define TILE(more) extern "C" __global__ void __launch_bounds__(128) tile_##more( \
    const float4* a, const float4* b, float* c, int across, int steps, int k, unsigned long long* out) { tile<more>(a, b, c, across, steps, k, out); }
TILE(2) TILE(8) TILE(32)

#ifndef __CUDACC_RTC__
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
float4 *a, *b; float* c; unsigned long long* out;
template <int MORE, typename Kernel> void measure(Kernel kernel, int grid, int resident, int steps) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 226 << 10);
    int bytes = (227 << 10) / resident - 1024 - 2 * 136 * 16 - 64;
    bytes = bytes / 128 * 128;
    std::vector<unsigned long long> host(grid * 4);
    for (int again = 0; again < 3; again++) {
        kernel<<<grid, 128, bytes>>>(a, b, c, 32, steps, 8 * steps, out);
        cudaMemcpy(host.data(), out, 32 * grid, cudaMemcpyDeviceToHost);
        if (!again) continue;
        unsigned long long first = ~0ull;
        for (int i = 0; i < grid; i++) first = std::min(first, host[4 * i + 1]);
        for (int i = 0; i < grid; i++)
            printf("%d,%d,%d,%d,%d,%d,%llu,%llu,%llu,%llu\n", MORE, grid, resident, steps, again, i, host[4 * i], host[4 * i + 1] - first, host[4 * i + 2] - first, host[4 * i + 3]);
    }
}
int main() {
    cudaMalloc(&a, 64 << 20); cudaMalloc(&b, 64 << 20); cudaMalloc(&c, 1 << 20); cudaMalloc(&out, 1 << 20);
    cudaMemset(a, 0, 64 << 20); cudaMemset(b, 0, 64 << 20);
    printf("more,grid,resident,steps,again,block,sm,begin_ns,end_ns,cycles\n");
    for (int grid : {1024, 1500})
        for (int resident : {2, 4, 7}) { measure<2>(tile_2, grid, resident, 64); measure<8>(tile_8, grid, resident, 64); measure<32>(tile_32, grid, resident, 32); }
    measure<2>(tile_2, 600, 4, 64); measure<8>(tile_8, 600, 4, 64);
    return cudaDeviceSynchronize() != cudaSuccess;
}
#endif
