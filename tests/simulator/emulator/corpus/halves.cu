// Packed float16 and bfloat16 arithmetic, two elements a thread.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define ID (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void half_pairs(const __half2* a, const __half2* b, __half2* out, int n) {
    int i = ID;
    if (i >= n) return;
    __half2 x = a[i], y = b[i];
    out[i] = __hadd2(x, y);
    out[n + i] = __hsub2(x, y);
    out[2 * n + i] = __hmul2(x, y);
    out[3 * n + i] = __hfma2(x, y, __float2half2_rn(0.5f));
    out[4 * n + i] = __hmax2(x, y);
    out[5 * n + i] = __hmin2(x, y);
    out[6 * n + i] = __hfma2_relu(x, y, x);
    out[7 * n + i] = __hgt2(x, y);
    out[8 * n + i] = __lowhigh2highlow(x);
    out[9 * n + i] = __hneg2(__habs2(x));
    out[10 * n + i] = __hbgt2(x, y) ? x : __h2div(x, y);
    out[11 * n + i] = h2sqrt(__habs2(x));
    out[12 * n + i] = __hadd2_sat(x, y);
    out[13 * n + i] = h2exp(x);
}

extern "C" __global__ void half_scalars(const __half* a, const __half* b, float* out, int n) {
    int i = ID;
    if (i >= n) return;
    __half x = a[i], y = b[i];
    out[i] = __half2float(x) + __half2float(y);
    out[n + i] = __half2float(__hadd(x, y));
    out[2 * n + i] = __half2float(__hmul(x, y));
    out[3 * n + i] = x > y ? 1.0f : 0.0f;
    out[4 * n + i] = __half2float(__float2half(__half2float(x) * 1.0009765f));
    out[5 * n + i] = (float)__half2int_rn(x) + (float)__half2uint_rz(__habs(y));
    out[6 * n + i] = __half2float(__int2half_rn(i * 37));
    out[7 * n + i] = __half2float(hfloor(x)) + __half2float(hrint(y));
    out[8 * n + i] = __half2float(hrcp(y));
}

extern "C" __global__ void bfloat_pairs(
    const __nv_bfloat162* a, const __nv_bfloat162* b, __nv_bfloat162* out, int n) {
    int i = ID;
    if (i >= n) return;
    __nv_bfloat162 x = a[i], y = b[i];
    out[i] = __hadd2(x, y);
    out[n + i] = __hmul2(x, y);
    out[2 * n + i] = __hfma2(x, y, x);
    out[3 * n + i] = __hmax2(x, y);
    out[4 * n + i] = __floats2bfloat162_rn(__low2float(x) * 3.0f, __high2float(y));
    out[5 * n + i] = __hsub2(x, y);
    out[6 * n + i] = __hgt2(x, y);
}

extern "C" __global__ void half_dot(const __half2* a, const __half2* b, float* out, int n) {
    __half2 s = __float2half2_rn(0.0f);
    float total = 0.0f;
    for (int k = threadIdx.x; k < n; k += blockDim.x) {
        s = __hfma2(a[k], b[k], s);
        float2 f = __half22float2(a[k]), g = __half22float2(b[k]);
        total += f.x * g.x + f.y * g.y;
    }
    out[threadIdx.x] = __low2float(s) + __high2float(s);
    out[blockDim.x + threadIdx.x] = total;
}
