// Rungs of a reduction: a few lanes work, everyone meets at a barrier; and memory instructions whose
// lanes are all off.

typedef long long Cycles;

// KIND 0: load, load, add, store, barrier. 1: without the barrier. 2: barrier alone.
template <int KIND> __device__ __forceinline__ void rungs(float* buf, Cycles* out, int iters, int p) {
    __shared__ float space[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) space[i] = 1.0f;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(space) + threadIdx.x * 4;
    bool on = (int)threadIdx.x < p;
    Cycles begin = clock64();
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (KIND < 2) {
                float x = 0, y = 0;
                asm volatile("{.reg .pred q; setp.ne.s32 q, %3, 0;\n @q ld.volatile.shared.f32 %0, [%2];\n"
                             "@q ld.volatile.shared.f32 %1, [%2+1024];\n @q add.f32 %0, %0, %1;\n"
                             "@q st.volatile.shared.f32 [%2], %0;}" : "+f"(x), "+f"(y) : "r"(at), "r"((int)on) : "memory");
            }
            if (KIND != 1) asm volatile("bar.sync 0;" ::: "memory");
        }
    }
    Cycles took = clock64() - begin;
    if ((threadIdx.x & 31) == 0) out[blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)] = took;
}
#define RUNGS(name, KIND) extern "C" __global__ void rungs_##name(float* buf, Cycles* out, int iters, int p) { rungs<KIND>(buf, out, iters, p); }
RUNGS(both, 0) RUNGS(free, 1) RUNGS(barrier, 2)

// Eight memory instructions a trip, all lanes off (p is 0).
template <int OP> __device__ __forceinline__ void off(float* buf, Cycles* out, int iters, int p) {
    __shared__ float space[2048];
    space[threadIdx.x] = 0;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(space) + threadIdx.x * 4;
    float v[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    Cycles begin = clock64();
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (OP == 0) asm volatile("{.reg .pred q; setp.ne.s32 q, %2, 0;\n @q ld.volatile.shared.f32 %0, [%1];}" : "+f"(v[k]) : "r"(at + k * 128), "r"(p));
            if (OP == 1) asm volatile("{.reg .pred q; setp.ne.s32 q, %2, 0;\n @q st.volatile.shared.f32 [%1], %0;}" ::"f"(v[k]), "r"(at + k * 128), "r"(p));
            if (OP == 2) asm volatile("{.reg .pred q; setp.ne.s32 q, %2, 0;\n @q ld.volatile.global.f32 %0, [%1];}" : "+f"(v[k]) : "l"(buf + k * 32 + threadIdx.x), "r"(p));
        }
    }
    Cycles took = clock64() - begin;
    if ((threadIdx.x & 31) == 0) out[blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)] = took;
    for (int k = 0; k < 8; k++) if (v[k] == 12345.0f) buf[k] = v[k];
}
#define OFF(name, OP) extern "C" __global__ void off_##name(float* buf, Cycles* out, int iters, int p) { off<OP>(buf, out, iters, p); }
OFF(lds, 0) OFF(sts, 1) OFF(ldg, 2)
