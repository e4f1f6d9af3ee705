// Which partition of L2 each SM is at, and which one lines are at home in.
//
// nvcc -O2 -std=c++17 -arch=sm_90 sides.cu -o sides; ./sides > sides.txt
//
// A kernel stores to all lines, which leaves them at home only; then one thread of one SM reads one
// after the other and notes the cycles. Lines that are at home in the other partition take longer.
//   sm N: cycles of lines 4 KiB apart, as SM N reads them
//   row: cycles of lines 256 bytes apart, as SM 0 reads them
//   order: SM of each block of a launch of one block an SM
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e=(x);if(e!=cudaSuccess){printf("ERR %s line %d\n",cudaGetErrorString(e),__LINE__);exit(1);}}while(0)
constexpr int LINES = 256;

__device__ __forceinline__ unsigned sm_number() {
    unsigned r;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(r));
    return r;
}

__global__ void store_all(unsigned* data, size_t words, unsigned value) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x)
        data[i] = value;
}

__global__ void read_lines(const unsigned* data, unsigned step, unsigned sm, unsigned* out) {
    __shared__ unsigned took[LINES];
    if (sm_number() != sm)
        return;
    unsigned at = 0;
    for (int i = 0; i < LINES; i++) {
        unsigned begin, end, value;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(data + at) : "memory");
        at += step + (value == 0x7ffffff1u);
        asm volatile("{ .reg .pred q; setp.eq.u32 q, %1, 0x7ffffff1;\n @q trap; mov.u32 %0, %%clock; }"
                     : "=r"(end) : "r"(value) : "memory");
        took[i] = end - begin;
    }
    for (int i = 0; i < LINES; i++)
        out[i] = took[i];
}

__global__ void note_order(unsigned* out) {
    out[blockIdx.x] = sm_number();
    long long start = clock64();
    while (clock64() - start < 100000) {}
}

int main() {
    const size_t words = 16 << 20;
    unsigned *data, *out;
    std::vector<unsigned> host(LINES);
    cudaDeviceProp about;
    CK(cudaGetDeviceProperties(&about, 0));
    CK(cudaMalloc(&data, words * 4));
    CK(cudaMalloc(&out, 4096));
    const int sms = about.multiProcessorCount, room = 200 << 10;
    CK(cudaFuncSetAttribute(read_lines, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
    CK(cudaFuncSetAttribute(note_order, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
    auto print = [&](const char* name, int number, unsigned step) {
        store_all<<<2 * sms, 256>>>(data, LINES * 1024, number + 1);
        read_lines<<<sms, 1, room>>>(data, step, number, out);
        CK(cudaMemcpy(host.data(), out, LINES * 4, cudaMemcpyDeviceToHost));
        printf("%s %d:", name, number);
        for (unsigned cycles : host)
            printf(" %u", cycles);
        printf("\n");
    };
    print("warmup", 0, 1024);
    for (int sm = 0; sm < sms; sm++)
        print("sm", sm, 1024);
    print("row", 0, 64);
    note_order<<<sms, 32, room>>>(out);
    CK(cudaMemcpy(host.data(), out, sms * 4, cudaMemcpyDeviceToHost));
    printf("order:");
    for (int block = 0; block < sms; block++)
        printf(" %u", host[block]);
    printf("\n");
    return 0;
}
