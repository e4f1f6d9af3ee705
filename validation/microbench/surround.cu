// What a launch takes beyond the cycles in which SMs are active: blocks that wait a while, with stores
// before the wait, behind it, or none.
//
// nvcc -O2 -std=c++17 -arch=sm_90 surround.cu -o surround; ./surround [graph]
// Each launch is one of a list that is printed. Under ncu: gpu__time_duration.sum beside
// sm__cycles_active.max of the same pass. With `graph`: microseconds of a launch in a graph of 20.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
__device__ __forceinline__ unsigned cycle() { unsigned c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory"); return c; }
// `early` lines a warp are stored before `spin` cycles, `late` behind them, `step` floats a lane apart.
extern "C" __global__ void waits(float* buf, int spin, int early, int late, int step) {
    unsigned begin = cycle();
    size_t all = (size_t)gridDim.x * blockDim.x * step;
    float* to = buf + ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * step;
    for (int n = 0; n < early; n++) to[n * all] = 1.0f;
    while (cycle() - begin < (unsigned)spin) {}
    for (int n = 0; n < late; n++) to[(early + n) * all] = 2.0f;
}
// The same with loads behind the wait, which are waited for.
extern "C" __global__ void asks(float* buf, int spin, int early, int late, int step) {
    unsigned begin = cycle();
    size_t all = (size_t)gridDim.x * blockDim.x * step;
    float* to = buf + ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * step;
    float sum = 0;
    while (cycle() - begin < (unsigned)spin) {}
    for (int n = 0; n < late; n++) sum += to[n * all];
    if (sum == 1.2345f) buf[0] = sum;
}
// The same with additions to memory behind the wait.
extern "C" __global__ void adds(float* buf, int spin, int early, int late, int step) {
    unsigned begin = cycle();
    size_t all = (size_t)gridDim.x * blockDim.x * step;
    float* to = buf + ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * step;
    while (cycle() - begin < (unsigned)spin) {}
    for (int n = 0; n < late; n++) atomicAdd((int*)to + n * all, 1);
}
typedef void (*Kernel)(float*, int, int, int, int);
struct Case { const char* name; Kernel kernel; int grid, threads, shared, spin, early, late, step; };
int main(int argc, char** argv) {
    bool graph = argc > 1 && !strcmp(argv[1], "graph");
    float* buf; size_t bytes = (size_t)1 << 29;
    cudaMalloc(&buf, bytes); cudaMemset(buf, 0, bytes);
    for (Kernel k : {(Kernel)waits, (Kernel)asks, (Kernel)adds}) cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    std::vector<Case> cases;
    int shapes[][3] = {{1, 256, 0}, {16, 256, 0}, {132, 256, 0}, {528, 256, 0}, {1056, 256, 0}, {4224, 256, 0}, {132, 1024, 0}, {132, 256, 100 << 10}, {1056, 32, 0}, {4224, 128, 0}};
    for (auto& s : shapes) {
        int g = s[0], t = s[1], m = s[2];
        cases.push_back({"waits", waits, g, t, m, 2000, 0, 0, 1});
        cases.push_back({"waits", waits, g, t, m, 6000, 0, 0, 1});
        cases.push_back({"waits", waits, g, t, m, 6000, 8, 0, 1});
        for (int late : {1, 8, 32}) cases.push_back({"waits", waits, g, t, m, 2000, 0, late, 1});
        cases.push_back({"waits", waits, g, t, m, 2000, 0, 8, 8});
        cases.push_back({"asks", asks, g, t, m, 2000, 0, 1, 1});
        cases.push_back({"asks", asks, g, t, m, 2000, 0, 8, 1});
        cases.push_back({"adds", adds, g, t, m, 2000, 0, 2, 1});
    }
    for (auto& c : cases) {
        printf("%s %d %d %d %d %d %d %d", c.name, c.grid, c.threads, c.shared, c.spin, c.early, c.late, c.step);
        if (!graph) {
            for (int n = 0; n < 4; n++) c.kernel<<<c.grid, c.threads, c.shared>>>(buf, c.spin, c.early, c.late, c.step);
        } else {
            cudaStream_t stream; cudaStreamCreate(&stream);
            cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
            for (int n = 0; n < 20; n++) c.kernel<<<c.grid, c.threads, c.shared, stream>>>(buf, c.spin, c.early, c.late, c.step);
            cudaGraph_t g; cudaStreamEndCapture(stream, &g);
            cudaGraphExec_t e; cudaGraphInstantiate(&e, g, 0);
            cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
            std::vector<float> us;
            for (int n = 0; n < 10; n++) {
                cudaEventRecord(a, stream); cudaGraphLaunch(e, stream); cudaEventRecord(b, stream);
                cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms, a, b); if (n) us.push_back(ms * 1000 / 20);
            }
            std::sort(us.begin(), us.end());
            printf(" %.3f", us[us.size() / 2]);
        }
        printf("\n");
        cudaError_t error = cudaDeviceSynchronize();
        if (error) { printf("%s\n", cudaGetErrorString(error)); return 1; }
    }
}
