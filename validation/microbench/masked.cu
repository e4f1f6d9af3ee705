// Sectors that are stored in part: when L2 fetches the rest from DRAM, and when it writes them back.
//
// nvcc -O2 -std=c++17 -arch=sm_90 masked.cu -o masked
// ncu --cache-control all --clock-control none --csv --metrics dram__bytes_read.sum,dram__bytes_write.sum,
//     lts__t_sectors_op_write.sum,gpu__time_duration.sum ./masked
// Each thread stores every `stride`th word of the buffer once, and those beside them of places
// `back` words before (`back` > 0): what was stored in part is whole then.
extern "C" __global__ void masked(float* out, size_t words, int stride, long back) {
    size_t at = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (at < words) out[at] = 1;
    if (back && at >= back && at - back < words) out[at - back + 1] = 2;
}

#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cuda_runtime.h>
int main() {
    float* base;
    cudaMalloc(&base, 1l << 30);
    int turn = 0;
    auto go = [&](int stride, int mib, int back_mib) {
        size_t words = (size_t)mib << 18, back = (size_t)back_mib << 18;
        int blocks = ((words + back) / stride + 255) / 256;
        float* out = base + ((turn++ * 37l) % 64 << 20);
        masked<<<blocks, 256>>>(out, words, stride, (long)back);
        cudaDeviceSynchronize();
        fprintf(stderr, "%d,%d,%d\n", stride, mib, back_mib);
    };
    for (int stride : {1, 2, 8})
        for (int mib : {4, 8, 16, 24, 32, 40, 48, 64, 96, 192}) go(stride, mib, 0);
    for (int stride : {3, 4, 16, 32}) go(stride, 96, 0);
    for (int back : {1, 2, 4, 8, 12, 16, 24, 32, 48}) go(2, 192, back);
}
#endif
