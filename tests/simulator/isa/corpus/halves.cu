// Packed halves and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void halves(half2* a, half* h, __nv_bfloat162* b, float* f)
{
    int i = threadIdx.x;
    a[i] = __hfma2(a[i], a[i + 1], __float2half2_rn(2.5f));
    a[i + 2] = __hadd2(__hmax2(a[1], a[2]), __hneg2(a[3]));
    a[i + 4] = __hmul2(__low2half2(a[11]), __high2half2(a[12]));
    h[i] = __hadd(h[i], __float2half(f[i])) * h[2];
    h[9] = __habs(h[9]);
    if (__hgt(h[1], h[2])) h[3] = hsqrt(h[4]);
    b[i] = __hfma2(b[i], b[1], b[2]);
    f[i] = __half2float(h[i + 3]) + __high2float(a[5]) + __bfloat162float(b[3].x);
}
