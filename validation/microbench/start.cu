// The first instructions of a block, sectors of a line that come from DRAM one after another, and how
// many reductions an SM can have on their way. Signatures as in probes.cu.

typedef long long Cycles;

// Makes everything after wait for a value.
#define AWAIT(value) asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 0x7ffffff1;\n @q trap; }" ::"r"(value))

// Cycles to: the thread's number, the block's number, a parameter, another parameter, a word that the
// block has alone, a word of the line beside it.
extern "C" __global__ void first(float* buf, Cycles* out, int iters, int p) {
    Cycles t[7];
    unsigned tid, block;
    t[0] = clock64();
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(tid));
    AWAIT(tid);
    t[1] = clock64();
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    AWAIT(block);
    t[2] = clock64();
    AWAIT(iters);
    t[3] = clock64();
    AWAIT(p);
    t[4] = clock64();
    const unsigned* mine = (const unsigned*)buf + block * 1024;
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(mine));
    AWAIT(v);
    t[5] = clock64();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(mine + 32));
    AWAIT(v);
    t[6] = clock64();
    if (tid == 0)
        for (int i = 0; i < 6; i++) out[6 * block + i] = t[i + 1] - t[i];
}

// Thread 0 loads the four sectors of line after line, each when the one before is there.
extern "C" __global__ void sectors(float* buf, Cycles* out, int iters, int p) {
    unsigned off = 0;
    for (int i = 0; i < 3 * iters; i++) {
        Cycles begin = clock64();
        unsigned r;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(r) : "l"((const char*)buf + i * 32 * p + off));
        AWAIT(r);
        off = r;
        out[i] = clock64() - begin;
    }
}

// A warp of each block sends iters reductions to one line, p lanes in each: when each has left.
extern "C" __global__ void red_depth(float* buf, Cycles* out, int iters, int p) {
    int lane = threadIdx.x & 31;
    Cycles begin = clock64();
    for (int i = 0; i < iters; i++) {
        if (lane < p) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(buf + lane), "r"(1) : "memory");
        if (blockIdx.x == 0 && threadIdx.x == 0) out[i] = clock64() - begin;
    }
}

// Memory instructions that each keep the load/store unit for long: when each of 32 in a row has been
// issued shows how many can wait. OP 0: shared loads of 32 conflicts, 1: stores to 32 lines, 2: loads
// of 32 lines.
template <int OP> __device__ __forceinline__ void depth(float* buf, Cycles* out) {
    __shared__ float space[1024];
    int lane = threadIdx.x & 31;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) space[i] = 0;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(space) + lane * 128;
    float* mine = buf + (threadIdx.x >> 5) * (1 << 16) + lane * 32;
    float v[32];
    Cycles t[33];
    t[0] = clock64();
#pragma unroll
    for (int k = 0; k < 32; k++) {
        if (OP == 0) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v[k]) : "r"(at));
        if (OP == 1) asm volatile("st.global.f32 [%0], %1;" ::"l"(mine + k * 1024), "f"(1.0f) : "memory");
        if (OP == 2) asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(v[k]) : "l"(mine + k * 1024));
        t[k + 1] = clock64();
    }
    float s = 0;
    if (OP != 1) for (int k = 0; k < 32; k++) s += v[k];
    if (s == 12345.0f) buf[0] = s;
    if (threadIdx.x == 0) for (int k = 0; k < 32; k++) out[k] = t[k + 1] - t[0];
}
extern "C" __global__ void depth_lds(float* buf, Cycles* out, int iters, int p) { depth<0>(buf, out); }
extern "C" __global__ void depth_stg(float* buf, Cycles* out, int iters, int p) { depth<1>(buf, out); }
extern "C" __global__ void depth_ldg(float* buf, Cycles* out, int iters, int p) { depth<2>(buf, out); }
