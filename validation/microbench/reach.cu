// How far each SM is from L2, and which SMs share a way to it.
//
// nvcc -O2 -std=c++17 -arch=sm_90 reach.cu -o reach; ./reach > reach.txt
// ncu --profile-from-start off --cache-control none --clock-control none --csv
//     --metrics lts__t_sectors_srcunit_tex_op_read.sum ./reach merge > merge.csv
//
//   order: SM of each block of a launch of one block an SM
//   cluster N: SMs of the blocks of one cluster of N, which are of one GPC
//   chain SM: cycles of a chain of 16,384 loads from lines in L2, three times, one SM at a time
// With "merge" two SMs load the same 128 lines, four at a time, at the same ticks of the global
// timer: 512 sectors are read from L2 if they share a way to it, 1,024 if not. A launch for every
// SM and each reference, the references outside; the lines are in nobody's cache.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>
#include <cooperative_groups.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e=(x);if(e!=cudaSuccess){printf("ERR %s line %d\n",cudaGetErrorString(e),__LINE__);exit(1);}}while(0)
typedef unsigned long long Tick;
constexpr int LINES = 16384, WORDS = 32, REPEATS = 3, SHOTS = 32, WARPS = 4, ROOM = 200 << 10;
// The first block's SM of each part of the chip, by its place in the order of blocks (sm_part_sizes
// of an NVIDIA H200: 8 of the split group, the rest of it, then the groups).
constexpr int PLACES[] = {0, 8, 16, 32, 48, 64, 80, 96, 114};

__device__ __forceinline__ unsigned sm_number() {
    unsigned r;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(r));
    return r;
}
__device__ __forceinline__ Tick tick() {
    Tick r;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(r));
    return r;
}
__global__ void note_order(unsigned* out) {
    out[blockIdx.x] = sm_number();
    for (long long start = clock64(); clock64() - start < 100000;) {}
}
__global__ void note_cluster(unsigned* out) {
    cooperative_groups::this_cluster().sync();
    out[blockIdx.x] = sm_number();
    for (long long start = clock64(); clock64() - start < 100000;) {}
}
__global__ void touch(const unsigned* data, size_t words, unsigned* sink) {
    unsigned sum = 0;
    for (size_t i = threadIdx.x; i < words; i += blockDim.x) sum += __ldcg(data + i);
    if (sum == 0x12345) *sink = sum;
}
__global__ void chase(const unsigned* data, unsigned sm, unsigned* out) {
    if (sm_number() != sm) return;
    unsigned at = 0;
    for (int repeat = -1; repeat < REPEATS; repeat++) {
        long long start = clock64();
        for (int i = 0; i < LINES; i++) at = __ldcg(data + at * WORDS);
        if (repeat >= 0) out[repeat] = (unsigned)(clock64() - start) + at; // at: 0 after each turn
    }
}
__global__ void merge(const unsigned* data, unsigned one, unsigned other, Tick* meeting, unsigned* sink) {
    unsigned sm = sm_number(), sum = 0;
    if (sm != one && sm != other) return;
    __shared__ Tick shared_start;
    if (threadIdx.x == 0) {
        Tick began = tick();
        atomicMax(meeting, began + 40000);
        while (tick() < began + 20000) {}
        shared_start = atomicMax(meeting, 0);
    }
    __syncthreads();
    Tick start = shared_start;
    for (int shot = 0; shot < SHOTS; shot++) {
        while (tick() < start + shot * 4096) {}
        sum += __ldca(data + ((size_t)shot * WARPS * WORDS + threadIdx.x));
        if (sum == 0x12345) *sink = sum;
    }
}

int main(int count, char** words) {
    unsigned *data, *out;
    Tick* meeting;
    cudaDeviceProp about;
    CK(cudaGetDeviceProperties(&about, 0));
    const int sms = about.multiProcessorCount;
    const size_t size = 512ull << 20, each = SHOTS * WARPS * WORDS * 4;
    CK(cudaMalloc(&data, size));
    CK(cudaMalloc(&out, 4096));
    CK(cudaMalloc(&meeting, 8));
    for (auto f : {(void*)note_order, (void*)note_cluster, (void*)chase, (void*)merge})
        CK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM));
    CK(cudaFuncSetAttribute(note_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    std::vector<unsigned> order(sms), host(1024);
    note_order<<<sms, 32, ROOM>>>(out);
    CK(cudaMemcpy(order.data(), out, sms * 4, cudaMemcpyDeviceToHost));
    if (count > 1 && !strcmp(words[1], "merge")) {
        CK(cudaMemset(data, 0, size));
        char* next = (char*)data;
        for (int place : PLACES)
            for (int other : order) {
                CK(cudaMemset(meeting, 0, 8));
                CK(cudaDeviceSynchronize());
                cudaProfilerStart();
                merge<<<sms, WARPS * 32, ROOM>>>((unsigned*)next, order[place], other, meeting, out);
                CK(cudaDeviceSynchronize());
                cudaProfilerStop();
                next += each;
            }
        return 0;
    }
    printf("order:");
    for (unsigned sm : order) printf(" %u", sm);
    printf("\n");
    for (int n : {16, 8, 4, 2}) {
        cudaLaunchAttribute shape;
        shape.id = cudaLaunchAttributeClusterDimension;
        shape.val.clusterDim = {(unsigned)n, 1, 1};
        cudaLaunchConfig_t launch = {};
        launch.gridDim = sms / n * n;
        launch.blockDim = 32;
        launch.dynamicSmemBytes = ROOM;
        launch.attrs = &shape;
        launch.numAttrs = 1;
        CK(cudaLaunchKernelEx(&launch, note_cluster, out));
        CK(cudaMemcpy(host.data(), out, sms * 4, cudaMemcpyDeviceToHost));
        for (int i = 0; i < sms / n * n; i++) {
            if (i % n == 0) printf("cluster %d:", n);
            printf(i % n == n - 1 ? " %u\n" : " %u", host[i]);
        }
    }
    std::vector<unsigned> chain(LINES * WORDS), turn(LINES - 1);
    std::iota(turn.begin(), turn.end(), 1u);
    std::shuffle(turn.begin(), turn.end(), std::mt19937(1));
    unsigned at = 0;
    for (unsigned line : turn) chain[at * WORDS] = line, at = line;
    chain[at * WORDS] = 0;
    CK(cudaMemcpy(data, chain.data(), chain.size() * 4, cudaMemcpyHostToDevice));
    touch<<<2 * sms, 1024>>>(data, chain.size(), out);
    for (int sm = 0; sm < sms; sm++) {
        chase<<<sms, 1, ROOM>>>(data, sm, out);
        CK(cudaMemcpy(host.data(), out, REPEATS * 4, cudaMemcpyDeviceToHost));
        printf("chain %d:", sm);
        for (int i = 0; i < REPEATS; i++) printf(" %u", host[i]);
        printf("\n");
    }
    return 0;
}
