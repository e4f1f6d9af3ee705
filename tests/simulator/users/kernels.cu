// Kernels as users write them: every one is run for every architecture and compared with numpy.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

// Warps with different jobs: even ones produce into shared memory, odd ones consume.
extern "C" __global__ void warp_specialised(const float* in, float* out) {
    __shared__ float tile[4][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp % 2 == 0) {
        tile[warp / 2][lane] = in[threadIdx.x] * 3;
        asm volatile("bar.arrive 1, 256;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 256;" ::: "memory");
        out[threadIdx.x / 64 * 32 + lane] = tile[warp / 2][31 - lane] + in[threadIdx.x];
    }
}

extern "C" __global__ void tiles(const int* in, int* out) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto half = cg::tiled_partition<8>(warp);
    int v = in[block.thread_rank()];
    int sum = cg::reduce(warp, v, cg::plus<int>());
    int most = cg::reduce(half, v, cg::greater<int>());
    for (int d = 1; d < 8; d *= 2) {
        int other = half.shfl_up(v, d);
        if ((int)half.thread_rank() >= d) v += other;
    }
    out[3 * block.thread_rank()] = sum;
    out[3 * block.thread_rank() + 1] = most;
    out[3 * block.thread_rank() + 2] = v;
}

extern "C" __global__ void coalesced(const int* in, int* counts) {
    if (in[threadIdx.x] > 0) {
        auto active = cg::coalesced_threads();
        if (active.thread_rank() == 0) atomicAdd(counts, (int)active.size());
    }
}

extern "C" __global__ void dynamic_shared(const short* in, short* out, int n) {
    extern __shared__ char pool[];
    short* s = reinterpret_cast<short*>(pool);
    double* d = reinterpret_cast<double*>(pool + 2 * blockDim.x);
    s[threadIdx.x] = in[threadIdx.x];
    d[threadIdx.x] = in[threadIdx.x] * 0.5;
    __syncthreads();
    if (threadIdx.x < n) out[threadIdx.x] = s[n - 1 - threadIdx.x] + (short)d[threadIdx.x];
}

extern "C" __global__ void wide_conflicts(const double* in, double* out) {
    __shared__ double t[32][32];
    t[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}

__device__ float atomic_max(float* place, float value) {
    int* words = (int*)place;
    int old = *words, seen;
    do {
        seen = old;
        if (__int_as_float(seen) >= value) break;
        old = atomicCAS(words, seen, __float_as_int(value));
    } while (seen != old);
    return __int_as_float(old);
}
extern "C" __global__ void cas_loop(const float* in, float* most, unsigned long long* sum) {
    atomic_max(most + threadIdx.x % 3, in[threadIdx.x]);
    unsigned long long old = sum[0], seen;
    do {
        seen = old;
        old = atomicCAS(sum, seen, seen + threadIdx.x);
    } while (seen != old);
}

extern "C" __global__ void doubles(const double* a, const double* b, double* out) {
    int i = threadIdx.x;
    out[4 * i] = a[i] / b[i];
    out[4 * i + 1] = sqrt(a[i]) + fma(a[i], b[i], -1.0);
    out[4 * i + 2] = floor(a[i] * 10) + fmax(a[i], b[i]);
    out[4 * i + 3] = (double)(long long)(a[i] * 1e12) + (double)(unsigned)b[i];
}

extern "C" __global__ void read_only(const float4* __restrict__ in, float* __restrict__ out) {
    float4 v = __ldg(in + threadIdx.x);
    out[threadIdx.x] = v.x + v.y * v.z - v.w;
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(const int* in, int* out) {
    out[threadIdx.x] = fibonacci(in[threadIdx.x]);
}

extern "C" __global__ void switch_table(const int* in, int* out) {
    int v = in[threadIdx.x], r;
    switch (v & 15) {
        case 0: r = v * 3; break;
        case 1: r = v ^ 0x55; break;
        case 2: r = v - 17; break;
        case 3: r = v << 3; break;
        case 4: r = __popc(v); break;
        case 5: r = __brev(v); break;
        case 6: r = v / 7; break;
        case 7: r = v % 5; break;
        case 8: r = ~v; break;
        case 9: r = v * v; break;
        case 10: r = __clz(v); break;
        default: r = -1;
    }
    out[threadIdx.x] = r;
}

__device__ __noinline__ float polynomial(float x, int n) {
    float r = 0;
    for (int i = 0; i < n; ++i) r = r * x + i;
    return r;
}
extern "C" __global__ void calls(const float* in, float* out) {
    float v = in[threadIdx.x];
    if (threadIdx.x % 3 == 0) v = polynomial(v, 4);
    out[threadIdx.x] = polynomial(v, threadIdx.x % 5);
}

extern "C" __global__ void scratch(const int* in, int* out, int n) {
    int local[40];
    for (int i = 0; i < n; ++i) local[i] = in[i] + threadIdx.x;
    int s = 0;
    for (int i = 0; i < n; ++i) s = s * 3 + local[(i * 7 + threadIdx.x) % n];
    out[threadIdx.x] = s;
}

extern "C" __global__ void halves(const __half2* a, const __half2* b, __half2* out, float* wide) {
    int i = threadIdx.x;
    out[2 * i] = __hfma2(a[i], b[i], __hmul2(a[i], a[i]));
    out[2 * i + 1] = __hmax2(a[i], __hadd2(b[i], __half2half2(__float2half(0.5f))));
    wide[i] = __low2float(a[i]) * __high2float(b[i]);
}

extern "C" __global__ void brains(const __nv_bfloat162* a, const __nv_bfloat162* b, __nv_bfloat162* out) {
    int i = threadIdx.x;
    out[i] = __hfma2(a[i], b[i], __hadd2(a[i], b[i]));
}

extern "C" __global__ void bytes(const int* a, const int* b, int* out) {
    int i = threadIdx.x;
    out[2 * i] = __dp4a(a[i], b[i], i);
    out[2 * i + 1] = __vadd4(a[i], b[i]) ^ __byte_perm(a[i], b[i], 0x5140);
}

extern "C" __global__ void pipeline(const float4* in, float4* out, int steps) {
    __shared__ float4 stages[3][64];
    int t = threadIdx.x;
    for (int s = 0; s < 2; ++s) {
        __pipeline_memcpy_async(&stages[s][t], in + s * 64 + t, 16);
        __pipeline_commit();
    }
    float4 sum = {0, 0, 0, 0};
    for (int s = 0; s < steps; ++s) {
        if (s + 2 < steps) __pipeline_memcpy_async(&stages[(s + 2) % 3][t], in + (s + 2) * 64 + t, 16);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        float4 v = stages[s % 3][63 - t];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
        __syncthreads();
    }
    out[t] = sum;
}

extern "C" __global__ void inline_assembly(const unsigned* in, unsigned* out) {
    unsigned v = in[threadIdx.x], r, lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("{ .reg .pred p; setp.gt.u32 p, %1, %2; selp.u32 %0, %1, %2, p; }" : "=r"(r) : "r"(v), "r"(lane));
    asm volatile("bfe.u32 %0, %1, 4, 12;" : "=r"(v) : "r"(v));
    unsigned lo, hi;
    asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0;" : "=r"(lo), "=r"(hi) : "r"(r), "r"(v), "r"(7u));
    out[3 * threadIdx.x] = r, out[3 * threadIdx.x + 1] = lo, out[3 * threadIdx.x + 2] = hi;
}

extern "C" __global__ void volatile_shared(const int* in, int* out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = 0;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        int v = s[t + d];
        __syncwarp();
        s[t] = s[t] + v;
        __syncwarp();
    }
    out[t] = s[0];
}

extern "C" __global__ void divergent_sync(const int* in, int* out) {
    int v = in[threadIdx.x], lane = threadIdx.x % 32;
    if (lane < 12) {
        __syncwarp(0xFFF);
        v = __shfl_sync(0xFFF, v, (lane + 1) % 12);
    } else {
        __syncwarp(~0xFFFu);
        v = __shfl_sync(~0xFFFu, v, 43 - lane);
    }
    unsigned even = __ballot_sync(~0u, v % 2 == 0);
    out[threadIdx.x] = v + __popc(even & ((1u << lane) - 1));
}

extern "C" __global__ void three_dimensions(int* out) {
    int3 at = {(int)(blockIdx.x * blockDim.x + threadIdx.x), (int)(blockIdx.y * blockDim.y + threadIdx.y),
               (int)(blockIdx.z * blockDim.z + threadIdx.z)};
    int3 size = {(int)(gridDim.x * blockDim.x), (int)(gridDim.y * blockDim.y), (int)(gridDim.z * blockDim.z)};
    out[(at.z * size.y + at.y) * size.x + at.x] = at.x + 100 * at.y + 10000 * at.z;
}

extern "C" __global__ void one_thread(const int* in, int* out) { out[blockIdx.x] = in[blockIdx.x] * 5 - 2; }

extern "C" __global__ void __launch_bounds__(1024) full_block(const int* in, int* out) {
    __shared__ int s[1024];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int v = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
        __syncthreads();
        s[threadIdx.x] += v;
        __syncthreads();
    }
    out[threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void long_grid(int* out, int n) {
    int i = blockIdx.x;
    if (i < n && threadIdx.x == 0) out[i] = i ^ (i >> 3);
}

extern "C" __global__ void math(const float* in, float* out) {
    float v = in[threadIdx.x];
    out[6 * threadIdx.x] = sinf(v);
    out[6 * threadIdx.x + 1] = expf(v);
    out[6 * threadIdx.x + 2] = logf(v);
    out[6 * threadIdx.x + 3] = powf(v, 1.7f);
    out[6 * threadIdx.x + 4] = tanhf(v) + erff(v);
    out[6 * threadIdx.x + 5] = v / 3.7f + rsqrtf(v);
}

__constant__ float weights[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
__device__ int hits;
extern "C" __global__ void module_data(const float* in, float* out, int* count) {
    float s = 0;
    for (int i = 0; i < 5; ++i) s += weights[i] * in[threadIdx.x + i];
    out[threadIdx.x] = s;
    if (s > 0.5f) atomicAdd(&hits, 1);
    __syncthreads();
    if (threadIdx.x == 0) *count = hits;
}

struct Node { int value; int next; };
extern "C" __global__ void pointer_chase(const Node* nodes, int* out, int steps) {
    int at = threadIdx.x, s = 0;
    for (int i = 0; i < steps && at >= 0; ++i) {
        s += nodes[at].value;
        at = nodes[at].next;
    }
    out[threadIdx.x] = s;
}

struct Shape {
    __device__ virtual float area(float x) const = 0;
};
struct Square : Shape {
    __device__ float area(float x) const override { return x * x; }
};
struct Circle : Shape {
    __device__ float area(float x) const override { return 3.0f * x * x; }
};
extern "C" __global__ void virtual_calls(const float* in, float* out) {
    Square square;
    Circle circle;
    const Shape* shape = threadIdx.x % 2 ? (const Shape*)&square : (const Shape*)&circle;
    out[threadIdx.x] = shape->area(in[threadIdx.x]);
}

extern "C" __global__ void warp_votes(const int* in, int* out) {
    int v = in[threadIdx.x];
    unsigned same = __match_any_sync(~0u, v);
    int all = __all_sync(~0u, v < 100), any = __any_sync(~0u, v == 3);
    int sum = __reduce_add_sync(~0u, v);
    out[threadIdx.x] = __popc(same) + 100 * all + 200 * any + 1000 * sum + (__syncthreads_count(v > 2) << 20);
}

extern "C" __global__ void grid_stride(const long long* in, unsigned long long* out, long long n) {
    unsigned long long s = 0;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)blockDim.x * gridDim.x)
        s += in[i] % 1000003 * (in[i] / 77);
    atomicAdd(out, s);
}

// Every thread takes what one of the next block holds, between barriers of the whole grid.
extern "C" __global__ void grid_barrier(int* x, int rounds) {
    auto grid = cg::this_grid();
    for (int r = 0; r < rounds; r++) {
        int v = x[(grid.thread_rank() + blockDim.x) % grid.size()];
        grid.sync();
        x[grid.thread_rank()] = 2 * v + 1;
        grid.sync();
    }
}

// A block learns which SM it is on: all are on the first.
extern "C" __global__ void which_sm(int* sums) {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    atomicAdd(sums + sm, 1);
}
