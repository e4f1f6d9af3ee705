// What DRAM brings where loads ask for some of the sectors of each line.
//
// nvcc -O2 -std=c++17 -arch=sm_90 fetches.cu -o fetches
// ncu --cache-control all --kernel-name read_sectors --csv --page raw
//     --metrics dram__bytes_read.sum,lts__t_sectors_srcunit_tex_op_read.sum ./fetches
//
// A launch for each mask of sectors, a bit each (MASKS): every warp reads them of one of 524,288 lines.
#include <cstdio>
#include <cuda_runtime.h>
constexpr unsigned LINES = 1 << 19, MASKS[] = {1, 2, 3, 5, 6, 7, 12, 15};

__global__ void read_sectors(const unsigned* data, unsigned mask, unsigned* sink) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = mask >> (threadIdx.x / 8 % 4) & 1 ? data[at] : 0;
    if (value == 0x12345) *sink = value;
}

int main() {
    unsigned *data, *sink;
    cudaMalloc(&data, LINES * 128);
    cudaMalloc(&sink, 4);
    cudaMemset(data, 0, LINES * 128);
    for (unsigned mask : MASKS) read_sectors<<<LINES / 8, 256>>>(data, mask, sink);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
