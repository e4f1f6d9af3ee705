// Many blocks on each SM, one after the other: when a block's successor begins, how long launches of
// such blocks take. buf: data, out: what a kernel notes; h200_waves.json has microseconds of a launch
// in a graph of 20 of them, median of nine, and what `wait` noted in the second of two launches.

__device__ __forceinline__ unsigned cycle() {
    unsigned c;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
    return c;
}
__device__ __forceinline__ unsigned place() {
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}
#define WARPS (blockDim.x >> 5)
#define WARP (blockIdx.x * WARPS + (threadIdx.x >> 5))

// A load of one element a thread, and STORE: it is stored elsewhere. Notes SM, begin, when the load
// left, when its result was there, the end.
template <int STORE> __device__ __forceinline__ void pass(float* buf, unsigned* out, int n) {
    unsigned begin = cycle();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float* from = buf + i;
    unsigned asked = cycle();
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from) : "memory");
    asm volatile("{ .reg .pred q; setp.eq.f32 q, %0, 0f4640E400;\n @q trap; }" ::"f"(v));
    unsigned there = cycle();
    if (STORE) asm volatile("st.global.f32 [%0], %1;" ::"l"(buf + n + i), "f"(v) : "memory");
    unsigned end = cycle();
    if ((threadIdx.x & 31) == 0 && blockIdx.x % 8 == 0) {
        unsigned at = 5 * (blockIdx.x / 8 * WARPS + (threadIdx.x >> 5));
        out[at] = place();
        out[at + 1] = begin;
        out[at + 2] = asked;
        out[at + 3] = there;
        out[at + 4] = end;
    }
}
extern "C" __global__ void pass_load(float* buf, unsigned* out, int n, int p) { pass<0>(buf, out, n); }
extern "C" __global__ void pass_copy(float* buf, unsigned* out, int n, int p) { pass<1>(buf, out, n); }

// The same without notes.
extern "C" __global__ void plain_load(float* buf, unsigned* out, int n, int p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = buf[i];
    if (v == 12345.0f) out[0] = 1;
}
extern "C" __global__ void plain_copy(float* buf, unsigned* out, int n, int p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    buf[n + i] = buf[i];
}
extern "C" __global__ void plain_store(float* buf, unsigned* out, int n, int p) {
    buf[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
}
extern "C" __global__ void plain_sum(float* buf, unsigned* out, int n, int p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    buf[2 * n + i] = buf[i] + buf[n + i];
}
// Stores of whole lines a row of the matrix apart: blocks of 32 x 8 threads, columns of p elements.
extern "C" __global__ void turned(float* buf, unsigned* out, int n, int p) {
    int x = threadIdx.x & 31, y = threadIdx.x >> 5;
    int columns = p / 32, bx = blockIdx.x % columns, by = blockIdx.x / columns;
    int rows = n / p;
#pragma unroll
    for (int k = 0; k < 32; k += 8) {
        float v = buf[(by * 32 + y + k) * p + bx * 32 + x];
        buf[n + (bx * 32 + y + k) * rows + by * 32 + x] = v;
    }
}

// Load, meet, STEPS steps of a tree-like exchange (two loads, a store, a barrier), store one or all.
template <int STEPS, int ALL> __device__ __forceinline__ void mix(float* buf, unsigned* out, int n) {
    __shared__ float space[1024];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    space[t] = i < n ? buf[i] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        float v = space[t] + space[t ^ (1 << (k % 7))];
        __syncthreads();
        space[t] = v;
        __syncthreads();
    }
    if (ALL) { if (i < n) buf[n + i] = space[t]; }
    else if (t == 0) buf[n + blockIdx.x] = space[0];
}
extern "C" __global__ void mix_1_all(float* buf, unsigned* out, int n, int p) { mix<1, 1>(buf, out, n); }
extern "C" __global__ void mix_4_all(float* buf, unsigned* out, int n, int p) { mix<4, 1>(buf, out, n); }
extern "C" __global__ void mix_7_one(float* buf, unsigned* out, int n, int p) { mix<7, 0>(buf, out, n); }

// A window of nine elements through shared memory, with weights from memory for every thread.
extern "C" __global__ void window(const float* __restrict__ buf, unsigned* out, int n, int p) {
    __shared__ float space[1024 + 8];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float* to = (float*)buf + n;
    space[t + 4] = i < n ? buf[i] : 0.0f;
    if (t < 8) space[t < 4 ? t : blockDim.x + t] = 0.5f;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 9; k++) sum += space[t + k] * buf[2 * n + k];
    if (i < n) to[i] = sum;
}

// Every warp adds a line at a time to one of two lines, p lines apart; which by its number.
extern "C" __global__ void two_lines(float* buf, unsigned* out, int iters, int p) {
    float* at = buf + ((threadIdx.x >> 5) & 1) * 32 * p + (threadIdx.x & 31);
#pragma unroll 1
    for (int i = 0; i < iters; i++) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(1) : "memory");
}

// Blocks that wait for `length` loads from L2, one after another, up to `spread` more by chance. Notes
// for each warp its SM, its first and its last cycle.
extern "C" __global__ void wait(float* buf, unsigned* out, int length, int spread) {
    unsigned begin = cycle();
    unsigned chance = (blockIdx.x * 2654435761u) >> 8;
    int count = length + chance % (spread + 1);
    unsigned off = 0;
    const char* from = (const char*)(buf + (WARP & 4095) * 32);
#pragma unroll 1
    for (int i = 0; i < count; i++)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(off) : "l"(from + off) : "memory");
    if ((threadIdx.x & 31) == 0 && off != 12345) {
        out[3 * WARP] = place();
        out[3 * WARP + 1] = begin;
        out[3 * WARP + 2] = cycle();
    }
}

// Chunks of p floats at random places of n floats: every group of p threads (at most 32) loads one.
extern "C" __global__ void chunks(float* buf, unsigned* out, int n, int p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned chunk = i / p, h = chunk * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    unsigned place = (unsigned)(((unsigned long long)h * (unsigned)(n / p)) >> 32);
    float v = buf[(size_t)place * p + i % p];
    if (v == 12345.0f) out[0] = 1;
}

// Stores of all SMs: 0 all to one word, 1 a word of one line by lane, 2 a line for each SM, 3 a word
// for each warp in 64 lines, 4 one lane to one word.
extern "C" __global__ void hot(float* buf, unsigned* out, int iters, int p) {
    int lane = threadIdx.x & 31;
    float* at = buf;
    if (p == 1) at += lane;
    if (p == 2) at += 32 * (1 + place()) + lane;
    if (p == 3) at += (WARP * 37u) % 2048;
    if (p == 4 && lane) return;
#pragma unroll 1
    for (int i = 0; i < iters; i++) asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(1.0f) : "memory");
}

// Load, meet, store: with what comes from DRAM, blocks of any size.
extern "C" __global__ void meet_copy(float* buf, unsigned* out, int n, int p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = buf[i];
    asm volatile("{ .reg .pred q; setp.eq.f32 q, %0, 0f4640E400;\n @q trap; }" ::"f"(v));
    __syncthreads();
    buf[n + i] = v;
}
