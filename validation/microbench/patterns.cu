// What DRAM and L2 make of where blocks read and write: side by side or by tiles, in place or not, masked or not.
//
// nvcc -O2 -std=c++17 -arch=sm_90 patterns.cu -o patterns; ./patterns > warm.csv
// ncu --cache-control all --clock-control none --csv --page raw --metrics ... ./patterns once
// A block of 256 threads moves 256 * K words of 4 bytes. LINEAR: they lie side by side. TILED: rows of
// 2^wide words, `pitch` words apart; tiles follow each other along the rows. TURNED: down the columns.
#define NONE 0
#define LINEAR 1
#define TILED 2
#define TURNED 3
template <int WAY>
__device__ __forceinline__ unsigned place(unsigned b, unsigned e, int each, int wide, unsigned pitch, unsigned words) {
    if (WAY == LINEAR) return b * each + e;
    unsigned rows = each >> wide, across = pitch >> wide, down = words / pitch / rows;
    unsigned x = WAY == TILED ? b % across : b / down, y = WAY == TILED ? b / across : b % down;
    return (y * rows + (e >> wide)) * pitch + (x << wide) + (e & ((1u << wide) - 1));
}
// Which words are written: all (0), by a hash of the place half of them (1), every other sector (2),
// every other line (3), half of the threads (4).
__device__ __forceinline__ bool kept(unsigned at, int mask) {
    if (mask == 0) return true;
    if (mask == 1) return (at * 2654435761u >> 13) & 1;
    return (at >> (mask == 2 ? 3 : mask == 3 ? 5 : 0) & 1) == 0;
}
template <int K, int READ, int WRITE>
__device__ __forceinline__ void pattern(const float* in, float* out, int wide, unsigned pitch, unsigned words, int mask) {
    float v[K];
#pragma unroll
    for (int k = 0; k < K; k++)
        v[k] = READ ? in[place<READ ? READ : 1>(blockIdx.x, k * 256 + threadIdx.x, 256 * K, wide, pitch, words)] : 1.f;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < K; k++) {
        unsigned at = place<WRITE ? WRITE : 1>(blockIdx.x, k * 256 + threadIdx.x, 256 * K, wide, pitch, words);
        sum += v[k];
        if (WRITE && kept(at, mask)) out[at] = v[k];
    }
    if (!WRITE && sum == 1.2345f) out[threadIdx.x] = sum;
}
// Pairs of words `far` apart, both read and written where they are.
template <int K>
__device__ __forceinline__ void pairs(float* a, unsigned far, int mask) {
#pragma unroll
    for (int k = 0; k < K; k++) {
        unsigned i = (blockIdx.x * K + k) * 256 + threadIdx.x;
        unsigned at = (i & (far - 1)) | (i & ~(far - 1)) << 1;
        float x = a[at], y = a[at + far];
        if (kept(i, mask)) a[at] = y, a[at + far] = x;
    }
}
// Blocks that go down the rows of a matrix, each its own columns: READS matrices are read, and one is written
// (WRITE 1) or the first itself (2). `mask`: rows.
template <int READS, int WRITE, int AHEAD>
__device__ __forceinline__ void walk(const float* in, float* out, unsigned pitch, unsigned words, int rows) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    float* put = WRITE == 2 ? (float*)in : out;
    float sum = 0;
#pragma unroll 1
    for (int row = 0; row < rows; row += AHEAD) {
        float v[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) v[k] = READS ? in[(row + k) * pitch + column] : 1.f;
        if (READS == 2) {
#pragma unroll
            for (int k = 0; k < AHEAD; k++) v[k] += in[(row + k) * pitch + column + words];
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            sum = sum * 0.5f + v[k];
            if (WRITE) put[(row + k) * pitch + column] = sum;
        }
    }
    if (!WRITE && sum == 1.2345f) out[threadIdx.x] = sum;
}
#define WALK(name, READS, WRITE, AHEAD)                                                                        \
    extern "C" __global__ void name(const float* in, float* out, int wide, unsigned pitch, unsigned words, int mask) { \
        walk<READS, WRITE, AHEAD>(in, out, pitch, words, mask);                                                  \
    }
#define ONE(name, K, READ, WRITE)                                                                               \
    extern "C" __global__ void name(const float* in, float* out, int wide, unsigned pitch, unsigned words, int mask) { \
        pattern<K, READ, WRITE>(in, out, wide, pitch, words, mask);                                              \
    }
#define PAIR(name, K)                                                                                           \
    extern "C" __global__ void name(const float* in, float* out, int wide, unsigned pitch, unsigned words, int mask) { \
        pairs<K>(out, pitch, mask);                                                                              \
    }
ONE(copy_1, 1, LINEAR, LINEAR) ONE(copy_2, 2, LINEAR, LINEAR) ONE(copy_4, 4, LINEAR, LINEAR) ONE(copy_8, 8, LINEAR, LINEAR)
ONE(gather_4, 4, TILED, LINEAR) ONE(gather_8, 8, TILED, LINEAR) ONE(scatter_4, 4, LINEAR, TILED) ONE(scatter_8, 8, LINEAR, TILED)
ONE(turn_4, 4, TILED, TURNED) ONE(turn_8, 8, TILED, TURNED) ONE(tiles_4, 4, TILED, TILED) ONE(tiles_8, 8, TILED, TILED)
ONE(read_4, 4, LINEAR, NONE) ONE(readtiles_4, 4, TILED, NONE) ONE(readturned_4, 4, TURNED, NONE)
ONE(write_1, 1, NONE, LINEAR) ONE(write_4, 4, NONE, LINEAR) ONE(writetiles_4, 4, NONE, TILED) ONE(writeturned_4, 4, NONE, TURNED)
PAIR(pairs_1, 1) PAIR(pairs_2, 2)
WALK(walk_read_1, 1, 0, 1) WALK(walk_read_4, 1, 0, 4) WALK(walk_write_1, 0, 1, 1) WALK(walk_write_4, 0, 1, 4)
WALK(walk_copy_1, 1, 1, 1) WALK(walk_copy_4, 1, 1, 4) WALK(walk_same_1, 1, 2, 1) WALK(walk_same_4, 1, 2, 4) WALK(walk_add_1, 2, 1, 1) WALK(walk_add_4, 2, 1, 4)

#ifndef __CUDACC_RTC__
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
char* base;
bool once;
typedef void (*Kernel)(const float*, float*, int, unsigned, unsigned, int);
void go(const char* name, Kernel kernel, int k, bool same, int wide, unsigned pitch, int mask, std::vector<int> sizes, int threads = 256) {
    for (int mib : sizes) {
        static int turn = 0;
        size_t bytes = (size_t)mib << 20;
        unsigned words = bytes / 4;
        bool pair = !strncmp(name, "pairs", 5);
        int grid = words / 256 / (k ? k : 1) / (pair ? 2 : 1);
        if (!strncmp(name, "walk", 4)) grid = pitch / threads, words = pitch * mask, bytes = words * 4ul;
        char* from = once ? base + ((turn++ * 37l) % 64 << 22) : base;
        const float* in = (const float*)from;
        float* out = (float*)(same || pair ? from : from + (strncmp(name, "walk_add", 8) ? 1 : 2) * bytes);
        if (once) {
            kernel<<<grid, threads>>>(in, out, wide, pitch, words, mask);
            cudaDeviceSynchronize();
            printf("%s,%d,%d,%u,%d,%d,%d,%d\n", name, same, wide, pitch, mask, mib, grid, threads);
            continue;
        }
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        cudaGraph_t graph;
        cudaGraphExec_t run;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        for (int n = 0; n < 20; n++) kernel<<<grid, threads, 0, stream>>>(in, out, wide, pitch, words, mask);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&run, graph, 0);
        cudaEvent_t begin, end;
        cudaEventCreate(&begin);
        cudaEventCreate(&end);
        std::vector<float> times;
        for (int again = 0; again < 7; again++) {
            cudaEventRecord(begin, stream);
            cudaGraphLaunch(run, stream);
            cudaEventRecord(end, stream);
            cudaEventSynchronize(end);
            float ms;
            cudaEventElapsedTime(&ms, begin, end);
            times.push_back(ms * 50);
        }
        std::sort(times.begin(), times.end());
        printf("%s,%d,%d,%u,%d,%d,%d,%d,%.3f\n", name, same, wide, pitch, mask, mib, grid, threads, times[3]);
        fflush(stdout);
    }
}
#define GO(name, k, same, wide, pitch, mask, ...) go(#name, name, k, same, wide, pitch, mask, {__VA_ARGS__});
int main(int count, char** argv) {
    once = count > 1 && !strcmp(argv[1], "once");
    cudaMalloc(&base, 1ul << 30);
    cudaMemset(base, 0, 1ul << 30);
    printf("kernel,same,wide,pitch,mask,mib,grid,threads%s\n", once ? "" : ",warm_us");
    GO(copy_1, 1, 0, 5, 8192, 0, 8, 16, 256) GO(copy_2, 2, 0, 5, 8192, 0, 16, 256)
    GO(copy_4, 4, 0, 5, 8192, 0, 8, 16, 64, 256) GO(copy_8, 8, 0, 5, 8192, 0, 16, 256)
    GO(gather_4, 4, 0, 5, 8192, 0, 16, 64, 256) GO(gather_8, 8, 0, 5, 8192, 0, 16, 256) GO(gather_4, 4, 0, 6, 8192, 0, 256) GO(gather_4, 4, 0, 5, 1024, 0, 256)
    GO(scatter_4, 4, 0, 5, 8192, 0, 16, 64, 256) GO(scatter_8, 8, 0, 5, 8192, 0, 16, 256) GO(scatter_4, 4, 0, 6, 8192, 0, 256) GO(scatter_4, 4, 0, 5, 1024, 0, 256)
    GO(turn_4, 4, 0, 5, 8192, 0, 16, 64, 256) GO(turn_8, 8, 0, 5, 8192, 0, 16, 256) GO(turn_4, 4, 0, 6, 8192, 0, 256) GO(turn_4, 4, 0, 5, 2048, 0, 16, 64, 256)
    GO(turn_4, 4, 0, 5, 8224, 0, 257) GO(tiles_4, 4, 0, 5, 8192, 0, 16, 64, 256) GO(tiles_8, 8, 0, 5, 8192, 0, 16, 256) GO(tiles_4, 4, 0, 5, 8224, 0, 257)
    GO(read_4, 4, 0, 5, 8192, 0, 16, 64, 256) GO(readtiles_4, 4, 0, 5, 8192, 0, 16, 64, 256) GO(readturned_4, 4, 0, 5, 8192, 0, 16, 64, 256)
    GO(write_1, 1, 0, 5, 8192, 0, 8, 16, 64, 256) GO(write_4, 4, 0, 5, 8192, 0, 8, 16, 64, 256) GO(writetiles_4, 4, 0, 5, 8192, 0, 16, 64, 256) GO(writeturned_4, 4, 0, 5, 8192, 0, 16, 64, 256)
    for (int mask = 0; mask < 5; mask++) {
        GO(copy_1, 1, 1, 5, 8192, mask, 16, 32, 256) GO(copy_4, 4, 1, 5, 8192, mask, 16, 32, 256)
        if (mask) { GO(copy_4, 4, 0, 5, 8192, mask, 16, 256) GO(write_4, 4, 0, 5, 8192, mask, 16, 256) }
        if (mask < 2) { GO(pairs_1, 1, 0, 5, 4096, mask, 16, 64, 256) GO(pairs_1, 1, 0, 5, 64, mask, 64) GO(pairs_1, 1, 0, 5, 1 << 20, mask, 64) GO(pairs_2, 2, 0, 5, 4096, mask, 64) }
    }
#define GOWALK(name) \
    for (int threads : {64, 256, 1024}) go(#name, name, 0, false, 5, 196608, 96, {0}, threads); \
    go(#name, name, 0, false, 5, 45056, 64, {0}, 128);
    GOWALK(walk_read_1) GOWALK(walk_read_4) GOWALK(walk_write_1) GOWALK(walk_write_4) GOWALK(walk_copy_1) GOWALK(walk_copy_4)
    GOWALK(walk_same_1) GOWALK(walk_same_4) GOWALK(walk_add_1) GOWALK(walk_add_4)
    return cudaDeviceSynchronize() != cudaSuccess;
}
#endif
