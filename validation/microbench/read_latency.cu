// How long reads take that come alone, together, and under load.
//
// nvcc -O2 -std=c++17 -arch=sm_90 read_latency.cu -o read_latency; ./read_latency raw.bin > figures.csv
// `alone`: one thread reads one sector after another that nobody has read before; raw.bin has begin and
// cycles of each. `loaded`: every warp reads a line at a time, 4 bytes a lane, waits for it and meets the
// others of its block (or not).
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
__device__ __forceinline__ unsigned now() {
    unsigned c;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
    return c;
}
__device__ __forceinline__ unsigned load(const unsigned* from) {
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
    asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 0x7ffffff1;\n @q trap; }" ::"r"(v) : "memory");
    return v;
}
__global__ void alone(const char* buf, unsigned* out, int steps, unsigned multiplier, unsigned mask, unsigned bytes) {
    out += (size_t)blockIdx.x * steps * 2;
    unsigned place = blockIdx.x * steps * multiplier & mask;
    unsigned v = 0;
    for (int n = 0; n < steps; n++) {
        const unsigned* at = (const unsigned*)(buf + (size_t)place * bytes + v);
        unsigned begin = now();
        v = load(at);
        unsigned took = now() - begin;
        out[n * 2] = begin;
        out[n * 2 + 1] = took;
        place = (place + multiplier) & mask;
    }
}
__global__ void sweep(const float4* buf, size_t n, float* out) {
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += buf[i].x;
    if (s == 1.2345f) out[0] = s;
}
template <int MEET, int STORE>
__global__ void loaded(const unsigned* buf, unsigned* to, size_t mask, int rounds, int shift, unsigned* out, unsigned* clocks) {
    __shared__ unsigned own[1024], all[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) own[i] = all[i] = 0;
    __syncthreads();
    int warp = threadIdx.x >> 5, warps = blockDim.x >> 5, lane = threadIdx.x & 31;
    size_t at = ((size_t)((blockIdx.x + shift) % gridDim.x) * warps + warp) * 32 + lane, step = (size_t)gridDim.x * warps * 32;
    unsigned start = now();
    for (int n = 0; n < rounds; n++) {
        const unsigned* from = buf + (at & mask);
        unsigned begin = now();
        unsigned v = load(from);
        unsigned took = now() - begin;
        if (lane == 0) atomicAdd(&own[min(took >> 3, 1023u)], 1u);
        if (STORE) to[at & mask] = v;
        if (MEET) {
            __syncthreads();
            if (threadIdx.x == 0) atomicAdd(&all[min((now() - begin) >> 3, 1023u)], 1u);
        }
        at += step;
    }
    unsigned end = now();
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        atomicAdd(&out[i], own[i]);
        atomicAdd(&out[1024 + i], all[i]);
    }
    if (threadIdx.x == 0) atomicMax(clocks, end - start);
}
static void print(const unsigned* h) {
    double n = 0, sum = 0;
    for (int i = 0; i < 1024; i++) n += h[i], sum += h[i] * (8.0 * i + 4);
    printf(",%.0f", n ? sum / n : 0);
    for (double q : {0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999}) {
        double seen = 0;
        int i = 0;
        while (i < 1023 && (seen += h[i]) < q * n) i++;
        printf(",%d", n ? 8 * i : 0);
    }
}
int main(int count, char** argv) {
    char *buf, *to, *other;
    unsigned *out, *clocks;
    size_t size = 4ull << 30;
    cudaMalloc(&buf, size);
    cudaMalloc(&to, size);
    cudaMalloc(&other, 256 << 20);
    cudaMalloc(&out, 64 << 20);
    cudaMalloc(&clocks, 4);
    cudaMemset(buf, 0, size);
    cudaMemset(other, 0, 256 << 20);
    FILE* raw = fopen(argv[1], "wb");
    // begins clean (0) or with L2 full of what was stored (1)
    struct { unsigned multiplier, mask, bytes, grid, dirty, from, steps; } plans[] = {
        {1, 0xffffffff, 64, 1, 0, 0, 8000}, {1, 0xffffffff, 64, 1, 1, 64 << 20, 8000}, {40503, 65535, 4096, 1, 0, 0, 16000},
        {40503, 65535, 4096, 1, 1, 0, 16000}, {10501, 16383, 4096, 1, 0, 512 << 20, 16000}, {10501, 262143, 4096, 1, 0, 1 << 30, 16000},
        {1, 0xffffffff, 64, 32, 0, 128 << 20, 2000}, {1, 0xffffffff, 128, 132, 0, 192 << 20, 1000}};
    for (auto& p : plans) {
        sweep<<<1056, 256>>>((float4*)other, 16 << 20, (float*)clocks);
        if (p.dirty) cudaMemset(to, 0, 1 << 28);
        alone<<<p.grid, 1>>>(buf + p.from, out, p.steps, p.multiplier, p.mask, p.bytes);
        std::vector<unsigned> host((size_t)p.steps * p.grid * 2);
        cudaMemcpy(host.data(), out, host.size() * 4, cudaMemcpyDeviceToHost);
        unsigned head[8] = {p.multiplier, p.mask, p.bytes, p.grid, p.dirty, p.from, p.steps, 0};
        fwrite(head, 4, 8, raw);
        fwrite(host.data(), 4, host.size(), raw);
    }
    fclose(raw);
    printf("shift,turn,meet,store,threads,blocks,mib,bytes_per_cycle,mean,p2,p10,p25,p50,p75,p90,p95,p99,p999,all,a2,a10,a25,a50,a75,a90,a95,a99,a999\n");
    auto measure = [&](int meet, int store, int threads, int blocks, size_t mib, int shift = 0, int turn = 0) {
        auto kernel = meet ? (store ? loaded<1, 1> : loaded<1, 0>) : (store ? loaded<0, 1> : loaded<0, 0>);
        int rounds = 60;
        unsigned host[2048], took;
        for (int again = 0; again < 2; again++) {
            cudaMemset(out, 0, 8192);
            cudaMemset(clocks, 0, 4);
            if (mib > 100) sweep<<<1056, 256>>>((float4*)other, 16 << 20, (float*)clocks);
            kernel<<<132 * blocks, threads>>>((unsigned*)(turn && again ? to : buf), (unsigned*)(turn && again ? buf : to), (mib << 20) / 4 - 1, rounds, again * shift, out, clocks);
            cudaMemcpy(host, out, 8192, cudaMemcpyDeviceToHost);
            cudaMemcpy(&took, clocks, 4, cudaMemcpyDeviceToHost);
        }
        printf("%d,%d,%d,%d,%d,%d,%zu,%.1f", shift, turn, meet, store, threads, blocks, mib, 132.0 * blocks * threads * 4 * rounds * (1 + store) / took);
        print(host);
        print(host + 1024);
        printf("\n");
        fflush(stdout);
    };
    for (size_t mib : {8ul, 4096ul})
        for (int store : {0, 1})
            for (int meet : {0, 1}) {
                for (int threads : {32, 128})
                    measure(meet, store, threads, 1, mib);
                for (int blocks : {1, 2, 3, 4, 5, 6, 8}) measure(meet, store, 256, blocks, mib);
                for (int blocks : {1, 2}) measure(meet, store, 1024, blocks, mib);
            }
    for (int shift : {0, 1, 5, 40})
        for (int turn : {0, 1})
            for (int blocks : {1, 2, 8}) measure(0, turn, 256, blocks, 8, shift, turn), measure(1, turn, 256, blocks, 8, shift, turn);
    return cudaDeviceSynchronize() != cudaSuccess;
}
