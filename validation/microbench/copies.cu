// Asynchronous copies past L1 beside loads: how long they keep the load/store unit, their registers and
// what comes behind them.
//
// nvcc -O2 -std=c++17 -arch=sm_90 copies.cu -o copies; ./copies > figures.csv
// A warp's copy of 16 bytes a lane takes `rows` rows `pitch` bytes apart, side by side in shared memory
// with `pad` bytes behind each row. kind 0: cp.async.cg, 1: cp.async.ca of 16 bytes, 2: ca of 4 bytes,
// 3: ld.global.v4. Everything lies in L2. figures, all of the slowest warp: cycles until its last of
// `count` copies is issued and the next address made (LOOK 0: in the registers of the one before), until a load from shared
// memory behind them is back (LOOK 1) or a matrix load (LOOK 2), until the copies are there.
__device__ __forceinline__ unsigned now() { unsigned c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory"); return c; }
template <int KIND> __device__ __forceinline__ void copy(unsigned to, const char*& from, float4& v) {
    if (KIND == 0) asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from) : "memory");
    if (KIND == 1) asm volatile("cp.async.ca.shared.global [%0],[%1],16;" ::"r"(to), "l"(from) : "memory");
    if (KIND == 2) asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(to), "l"(from) : "memory");
    if (KIND == 3) asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(from) : "memory");
}
template <int KIND, int COUNT, int LOOK> __device__ __forceinline__ void run(const char* buf, int rows, int pitch, int pad, int turns, unsigned* out) {
    extern __shared__ __align__(128) char space[];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    int across = 32 / rows, each = KIND == 2 ? 4 : 16;
    unsigned base = (unsigned)__cvta_generic_to_shared(space);
    unsigned own = 32 * each + rows * pad;
    unsigned to = base + warp * COUNT * own + (lane / across) * (across * each + pad) + (lane % across) * each;
    const char* first = buf + (size_t)(blockIdx.x * warps + warp) * COUNT * rows * pitch + (size_t)(lane / across) * pitch + (lane % across) * each;
    unsigned issued = 0, freed = 0, looked = 0, done = 0;
    float4 v[COUNT];
    for (int n = 0; n < turns; n++) {
        __syncthreads();
        unsigned begin = now();
        const char* from = first;
        if (LOOK == 0) {
#pragma unroll 1
            for (int k = 0; k < COUNT; k++) { copy<KIND>(to + k * own, from, v[0]); from += (size_t)rows * pitch; }
        } else {
#pragma unroll
            for (int k = 0; k < COUNT; k++) { copy<KIND>(to + k * own, from, v[k]); from += (size_t)rows * pitch; }
        }
        unsigned a = now();
        if (LOOK == 0) asm volatile("{ .reg .pred q; setp.eq.u64 q, %0, 0x7ffffff1;\n @q trap; }" ::"l"(from));
        unsigned b = now();
        if (LOOK == 1) { float x; asm volatile("ld.volatile.shared.f32 %0,[%1];" : "=f"(x) : "r"(base + threadIdx.x * 4) : "memory"); asm volatile("{ .reg .pred q; setp.eq.f32 q, %0, 0f4640E47A;\n @q trap; }" ::"f"(x) : "memory"); }
        if (LOOK == 2) { unsigned x, y, z, w; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(base + threadIdx.x * 16) : "memory"); asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 0x7ffffff1;\n @q trap; }" ::"r"(x + y + z + w) : "memory"); }
        unsigned c = now();
        if (KIND < 3) asm volatile("cp.async.wait_all;" ::: "memory");
        else for (int k = 0; k < (LOOK ? COUNT : 1); k++) asm volatile("{ .reg .pred q; setp.eq.f32 q, %0, 0f4640E47A;\n @q trap; }" ::"f"(v[k].x) : "memory");
        unsigned d = now();
        if (n) { issued += a - begin; freed += b - begin; looked += c - begin; done += d - begin; }
    }
    if (lane == 0) {
        unsigned* row = out + (blockIdx.x * warps + warp) * 4;
        row[0] = issued / (turns - 1); row[1] = freed / (turns - 1); row[2] = looked / (turns - 1); row[3] = done / (turns - 1);
    }
}
// The same without end: copies of `COUNT` a group, one group ahead: cycles a copy of the SM.
template <int KIND, int COUNT> __device__ __forceinline__ void flow(const char* buf, int rows, int pitch, int pad, int turns, unsigned* out) {
    extern __shared__ __align__(128) char space[];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5, across = 32 / rows, each = KIND == 2 ? 4 : 16;
    unsigned own = 32 * each + rows * pad;
    unsigned to = (unsigned)__cvta_generic_to_shared(space) + warp * COUNT * own + (lane / across) * (across * each + pad) + (lane % across) * each;
    const char* first = buf + (size_t)(blockIdx.x * warps + warp) * COUNT * rows * pitch + (size_t)(lane / across) * pitch + (lane % across) * each;
    float4 v[COUNT];
    __syncthreads();
    unsigned begin = now();
    for (int n = 0; n < turns; n++) {
        const char* from = first;
#pragma unroll
        for (int k = 0; k < COUNT; k++) { copy<KIND>(to + k * own, from, v[k]); from += (size_t)rows * pitch; }
        if (KIND < 3) asm volatile("cp.async.commit_group; cp.async.wait_group 1;" ::: "memory");
        else for (int k = 0; k < COUNT; k++) asm volatile("{ .reg .pred q; setp.eq.f32 q, %0, 0f4640E47A;\n @q trap; }" ::"f"(v[k].x) : "memory");
    }
    if (KIND < 3) asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    unsigned took = now() - begin;
    if (threadIdx.x == 0) out[blockIdx.x] = took;
}
#define LOOK(kind, count, at) extern "C" __global__ void look_##kind##_##count##_##at( \
    const char* buf, int rows, int pitch, int pad, int turns, unsigned* out) { run<kind, count, at>(buf, rows, pitch, pad, turns, out); }
#define FLOW(kind, count) extern "C" __global__ void flow_##kind##_##count( \
    const char* buf, int rows, int pitch, int pad, int turns, unsigned* out) { flow<kind, count>(buf, rows, pitch, pad, turns, out); }
LOOK(0, 1, 0) LOOK(0, 1, 1) LOOK(0, 1, 2) LOOK(0, 3, 0) LOOK(0, 3, 1) LOOK(0, 3, 2)
LOOK(1, 3, 0) LOOK(1, 3, 1) LOOK(2, 3, 0) LOOK(2, 3, 1) LOOK(3, 3, 0) LOOK(3, 3, 1)
FLOW(0, 1) FLOW(0, 4) FLOW(1, 4) FLOW(2, 4) FLOW(3, 4)

#ifndef __CUDACC_RTC__
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
char* buf; unsigned* out; std::vector<unsigned> host(1 << 16);
template <int KIND, int COUNT, int AT, typename Kernel> void look(Kernel kernel, int grid, int warps, int rows, int pitch, int pad) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    int bytes = std::max(warps * COUNT * (512 + rows * pad), 17000);
    for (int again = 0; again < 2; again++) kernel<<<grid, 32 * warps, bytes>>>(buf, rows, pitch, pad, 6, out);
    cudaMemcpy(host.data(), out, 16 * grid * warps, cudaMemcpyDeviceToHost);
    unsigned most[4] = {};
    for (int i = 0; i < grid * warps; i++) for (int k = 0; k < 4; k++) most[k] = std::max(most[k], host[4 * i + k]);
    printf("look,%d,%d,%d,%d,%d,%d,%d,%d,%u,%u,%u,%u,%u,%u,%u\n", KIND, COUNT, AT, grid, warps, rows, pitch, pad, most[0], most[1], most[2], most[3], host[0], host[1], host[2]);
}
template <int KIND, int COUNT, typename Kernel> void stream(Kernel kernel, int grid, int warps, int rows, int pitch, int pad) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    int bytes = warps * COUNT * (512 + rows * pad), turns = 40;
    for (int again = 0; again < 2; again++) kernel<<<grid, 32 * warps, bytes>>>(buf, rows, pitch, pad, turns, out);
    cudaMemcpy(host.data(), out, 4 * grid, cudaMemcpyDeviceToHost);
    unsigned most = *std::max_element(host.begin(), host.begin() + grid);
    printf("flow,%d,%d,%d,%d,%d,%d,%d,%.2f\n", KIND, COUNT, grid, warps, rows, pitch, pad, double(most) / (turns * COUNT * warps));
}
int main() {
    cudaMalloc(&buf, 512 << 20); cudaMalloc(&out, 1 << 20); cudaMemset(buf, 0, 512 << 20);
    printf("what,kind,count,look,grid,warps,rows,pitch,pad,issued,freed,looked,done,issued0,freed0,looked0\n");
    for (int warps : {1, 4, 8, 16})
        for (int rows : {1, 4, 8, 16, 32})
            for (int pad : {0, 16}) {
                int pitch = rows == 1 ? 512 : 2048;
                look<0, 1, 0>(look_0_1_0, 1, warps, rows, pitch, pad); look<0, 1, 1>(look_0_1_1, 1, warps, rows, pitch, pad); look<0, 1, 2>(look_0_1_2, 1, warps, rows, pitch, pad);
                look<0, 3, 0>(look_0_3_0, 1, warps, rows, pitch, pad); look<0, 3, 1>(look_0_3_1, 1, warps, rows, pitch, pad); look<0, 3, 2>(look_0_3_2, 1, warps, rows, pitch, pad);
                stream<0, 1>(flow_0_1, 1, warps, rows, pitch, pad); stream<0, 4>(flow_0_4, 1, warps, rows, pitch, pad);
                if (pad) continue;
                look<1, 3, 1>(look_1_3_1, 1, warps, rows, pitch, pad); look<2, 3, 1>(look_2_3_1, 1, warps, rows, pitch, pad); look<3, 3, 1>(look_3_3_1, 1, warps, rows, pitch, pad);
                look<1, 3, 0>(look_1_3_0, 1, warps, rows, pitch, pad); look<2, 3, 0>(look_2_3_0, 1, warps, rows, pitch, pad); look<3, 3, 0>(look_3_3_0, 1, warps, rows, pitch, pad);
                stream<1, 4>(flow_1_4, 1, warps, rows, pitch, pad); stream<2, 4>(flow_2_4, 1, warps, rows, pitch, pad); stream<3, 4>(flow_3_4, 1, warps, rows, pitch, pad);
            }
    for (int grid : {64, 132})
        for (int rows : {1, 8, 32}) {
            look<0, 3, 0>(look_0_3_0, grid, 8, rows, 2048, 0); look<0, 3, 1>(look_0_3_1, grid, 8, rows, 2048, 0); stream<0, 4>(flow_0_4, grid, 8, rows, 2048, 0); stream<3, 4>(flow_3_4, grid, 8, rows, 2048, 0);
        }
    return cudaDeviceSynchronize() != cudaSuccess;
}
#endif
