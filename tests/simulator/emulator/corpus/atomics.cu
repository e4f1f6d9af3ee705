// Atomics of every kind, on shared, global and generic addresses.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void shared_atomics(const int* a, int* out, u64* wide, float* sums) {
    __shared__ int s[12];
    __shared__ u64 w[8];
    __shared__ float f[2];
    int t = threadIdx.x;
    if (t < 12) s[t] = t == 3 ? 1000000 : (t == 5 || t == 10 ? -1 : 0);
    if (t < 8) w[t] = t == 1 ? ~0ull : 0;
    if (t < 2) f[t] = 0.0f;
    __syncthreads();
    int v = a[t];
    atomicAdd(&s[0], v);
    atomicAdd(&s[1], 1);
    atomicMax(&s[2], v);
    atomicMin(&s[3], v);
    atomicOr((u32*)&s[4], (u32)v);
    atomicAnd((u32*)&s[5], (u32)v);
    atomicXor((u32*)&s[6], (u32)v);
    atomicInc((u32*)&s[7], 40);
    atomicDec((u32*)&s[8], 50);
    atomicMax((u32*)&s[9], (u32)v);
    atomicMin((u32*)&s[10], (u32)v);
    atomicExch(&s[11], 7);
    atomicAdd(&w[0], (u64)v);
    atomicMin(&w[1], (u64)v);
    atomicMax(&w[2], (u64)v);
    atomicXor(&w[3], (u64)v << 32 | (u32)v);
    atomicCAS(&w[4], 0ull, 9ull);
    atomicExch(&w[5], 11ull);
    atomicAdd(&f[0], (float)(v & 255));
    float old = atomicAdd(&f[1], 1.0f);
    sums[2 + t] = old;
    __syncthreads();
    if (t < 12) out[t] = s[t];
    if (t < 8) wide[t] = w[t];
    if (t < 2) sums[t] = f[t];
}

extern "C" __global__ void global_atomics(
    const int* a, int* s, u64* w, float* f, double* d, int* olds, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int v = a[t];
    atomicAdd(&s[0], v);
    olds[t] = atomicAdd(&s[1], 1);
    atomicMax(&s[2], v);
    atomicMin(&s[3], v);
    atomicOr((u32*)&s[4], (u32)v);
    atomicAnd((u32*)&s[5], (u32)v);
    atomicXor((u32*)&s[6], (u32)v);
    atomicInc((u32*)&s[7], 40);
    atomicDec((u32*)&s[8], 50);
    olds[n + t] = atomicCAS(&s[9], 0, 5);
    olds[2 * n + t] = atomicExch(&s[10], 6);
    atomicSub(&s[11], v);
    atomicAdd(&w[0], (u64)v);
    atomicMax((long long*)&w[1], (long long)v);
    atomicMin((long long*)&w[2], (long long)v);
    atomicAnd(&w[3], ~(u64)v);
    atomicCAS(&w[4], 0ull, 9ull);
    atomicAdd(&f[0], (float)(v & 255));
    atomicAdd(&d[0], (double)(v & 255));
}

extern "C" __global__ void packed_atomics(__half2* h, __nv_bfloat162* b, __half* one) {
    atomicAdd(h, __floats2half2_rn(1.0f, 2.0f));
    atomicAdd(b, __floats2bfloat162_rn(1.0f, 0.5f));
    __half2 old = atomicAdd(h + 1, __floats2half2_rn(1.0f, 0.0f));
    one[threadIdx.x] = __low2half(old);
    atomicAdd(one + 64, __float2half(1.0f));
}

extern "C" __global__ void generic_atomics(int* out, int n) {
    __shared__ int s[4];
    if (threadIdx.x < 4) s[threadIdx.x] = 0;
    __syncthreads();
    int* p = threadIdx.x & 1 ? s : out;
    atomicAdd(p, (int)threadIdx.x);
    int old = atomicMax(p + 1, (int)threadIdx.x);
    int sum = old >= 0;
    __syncthreads();
    atomicAdd(p + 2, sum);
    __syncthreads();
    if (threadIdx.x < 4) out[4 + threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void histogram(const unsigned char* data, u32* bins, int n) {
    __shared__ u32 local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i]) atomicAdd(&bins[i], local[i]);
}

extern "C" __global__ void lock_sum(int* lock, int* total, const int* a) {
    // one lane of each warp takes a spin lock
    int v = a[threadIdx.x];
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
    if ((threadIdx.x & 31) == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        *(volatile int*)total = *(volatile int*)total + v;
        __threadfence();
        atomicExch(lock, 0);
    }
}

extern "C" __global__ void double_max(const double* a, u64* best) {
    // compare-and-swap loop on a float64
    u64 old = *best, seen;
    do {
        seen = old;
        if (__longlong_as_double(seen) >= a[threadIdx.x]) break;
        old = atomicCAS(best, seen, (u64)__double_as_longlong(a[threadIdx.x]));
    } while (old != seen);
}
