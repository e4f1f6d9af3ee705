// Loops whose warps meet at barriers and then load: in which order and how far apart the loads of
// a block's warps go out, and how many reads of SMs that all load the same reach L2 as one.
// LOADS a step and warp; CHAINED: each is stored to shared memory before the next goes out;
// WIDTH words of a row a step, so a warp's load touches 32 / WIDTH rows; WORK steps of arithmetic.
// With -DLOG every warp notes the clock before each load and once its result is there.
#ifndef LOADS
#define LOADS 2
#endif
#ifndef WIDTH
#define WIDTH 32
#endif
#ifndef WORK
#define WORK 64
#endif
extern "C" __global__ void meet_loop(const float* a, float* out, unsigned* log, int n, int steps)
{
    extern __shared__ float room[];
    int tid = threadIdx.x, threads = blockDim.x, warps = threads / 32, warp = tid / 32;
    float* s = room;
#ifdef LOG
    unsigned* notes = (unsigned*)(room + LOADS * threads);
#define NOTE(u, which) if (tid % 32 == 0) \
        notes[((step * warps + warp) * LOADS + (u)) * 2 + (which)] = clock();
#else
#define NOTE(u, which)
#endif
    float sum = 0;
    for (int step = 0; step < steps; step++) {
        float v[LOADS];
#pragma unroll
        for (int u = 0; u < LOADS; u++) {
            int i = u * threads + tid;
            const float* from = a + (long long)(i / WIDTH) * n + step * WIDTH + i % WIDTH;
            NOTE(u, 0)
            asm volatile("ld.global.f32 %0,[%1];" : "=f"(v[u]) : "l"(from) : "memory");
#ifdef CHAINED
            s[i] = v[u];
            NOTE(u, 1)
#endif
        }
#ifndef CHAINED
#pragma unroll
        for (int u = 0; u < LOADS; u++) {
            s[u * threads + tid] = v[u];
            NOTE(u, 1)
        }
#endif
        __syncthreads();
#pragma unroll 8
        for (int c = 0; c < WORK; c++) sum = sum * 1.0001f + s[(tid + c * 32) % threads];
        __syncthreads();
    }
    out[blockIdx.x * threads + tid] = sum;
#ifdef LOG
    unsigned sm;
    asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
    int many = steps * warps * LOADS * 2;
    if (tid == 0) log[blockIdx.x * (many + 1)] = sm;
    for (int i = tid; i < many; i += threads) log[blockIdx.x * (many + 1) + 1 + i] = notes[i];
#endif
}
