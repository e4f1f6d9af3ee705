// Streams that come from DRAM: where all caches were flushed, and where L2 was full of other lines.
//
// nvcc -O2 -std=c++17 -arch=sm_90 cold_streams.cu -o cold_streams
// ncu --cache-control all (or none) --clock-control none --csv --page raw -k regex:read
//     --metrics gpu__time_duration.sum,sm__cycles_active.max ./cold_streams
// Each thread loads one element of 4 or 16 bytes of one or four arrays; before each launch 256 MiB of
// something else are read.
extern "C" __global__ void sweep(const float4* buf, long long n, float* out) {
    float s = 0;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += buf[i].x;
    if (s == 1.2345f) out[0] = s;
}
extern "C" __global__ void read1(const float* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] == 1.2345f) out[i] = 1;
}
extern "C" __global__ void read4(const float* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, part = n / 4;
    if (i < part && a[i] + a[i + part] + a[i + 2 * part] + a[i + 3 * part] == 1.2345f) out[i] = 1;
}
extern "C" __global__ void read16(const float4* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = a[i];
        if (v.x + v.y + v.z + v.w == 1.2345f) out[i] = 1;
    }
}
extern "C" __global__ void read64(const float4* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, part = n / 16;
    if (i < part) {
        float4 v = a[i], w = a[i + part], x = a[i + 2 * part], y = a[i + 3 * part];
        if (v.x + w.y + x.z + y.w + v.y + v.z + v.w == 1.2345f) out[i] = 1;
    }
}
#ifndef __CUDACC_RTC__
#include <cstdio>
int main() {
    char *buf, *other;
    float* out;
    cudaMalloc(&buf, 512 << 20);
    cudaMalloc(&other, 256 << 20);
    cudaMalloc(&out, 64 << 20);
    cudaMemset(buf, 0, 512 << 20);
    cudaMemset(other, 0, 256 << 20);
    int place = 0;
    for (int again = 0; again < 3; again++)
        for (int mib : {1, 2, 4, 8, 16, 32})
            for (int threads : {256, 1024})
                for (int kind = 0; kind < 4; kind++) {
                    int n = mib << 18, each = kind == 0 ? 1 : kind == 3 ? 16 : 4;
                    int grid = (n / each + threads - 1) / threads;
                    float* from = (float*)(buf + ((place++ * 37l) % 480 << 20));
                    if (((char*)from - buf) + (mib << 20) > (512 << 20)) from = (float*)buf;
                    sweep<<<1056, 256>>>((float4*)other, 16 << 20, out);
                    if (kind == 0) read1<<<grid, threads>>>(from, out, n);
                    if (kind == 1) read4<<<grid, threads>>>(from, out, n);
                    if (kind == 2) read16<<<grid, threads>>>((float4*)from, out, n);
                    if (kind == 3) read64<<<grid, threads>>>((float4*)from, out, n);
                    cudaDeviceSynchronize();
                }
    return cudaDeviceSynchronize() != cudaSuccess;
}
#endif
