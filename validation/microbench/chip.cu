// What all SMs do together: atomics that meet in L2, streams of loads and stores, tiles; and the
// first instructions of a block. Signatures and figures as in probes.cu.

typedef long long Cycles;

#define PLACE (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5))
#define BEGIN Cycles begin = clock64()
#define FINISH Cycles took = clock64() - begin; if ((threadIdx.x & 31) == 0) out[PLACE] = took

// Atomics without a result. p = 10000 mode + 100 log2(lines) + log2(lines from one to the next).
// MODE 0: a request fills a line; 1: eight lanes fill a sector; 2: every lane takes a word of the
// lines by chance; 3: all lanes one word; 4: four lanes a word of one sector; 5: every lane the
// first word of a line by chance; 6: two lanes a word of a line's first half.
template <int MODE, int TYPE> __device__ __forceinline__ void reduce(float* buf, Cycles* out, int iters, int p) {
    int lane = threadIdx.x & 31;
    unsigned mask = (1u << (p / 100 % 100)) - 1, step = p % 100;
    constexpr bool chance = MODE == 2 || MODE == 5;
    unsigned at = (PLACE * 977u + (chance ? lane * 3u : 0u)) * 2654435761u >> 7;
    if (MODE == 2) mask = 32 * (mask + 1) - 1;
    int word = MODE == 0 ? lane : MODE == 1 || MODE == 4 ? lane & 7 : MODE == 6 ? lane >> 1 : 0;
    BEGIN;
    if (MODE != 1 || lane < 8)
#pragma unroll 1
        for (int i = 0; i < iters; i++) {
            at = at * 1664525u + 1013904223u;
            unsigned line = (at >> 9) & mask;
            unsigned index = MODE == 2 ? line : (line << (step + 5)) + word;
            if (TYPE == 0) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(buf + index), "r"(1));
            if (TYPE == 1) asm volatile("red.global.add.f32 [%0], %1;" ::"l"(buf + index), "f"(1.0f));
            if (TYPE == 2) { unsigned r; asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(r) : "l"(buf + index), "r"(1)); at += r >> 31; }
            if (TYPE == 3) asm volatile("red.global.max.s32 [%0], %1;" ::"l"(buf + index), "r"(1));
        }
    FINISH;
}
#define REDUCE(MODE) \
    extern "C" __global__ void red_u32_##MODE(float* buf, Cycles* out, int iters, int p) { reduce<MODE, 0>(buf, out, iters, p); } \
    extern "C" __global__ void red_f32_##MODE(float* buf, Cycles* out, int iters, int p) { reduce<MODE, 1>(buf, out, iters, p); } \
    extern "C" __global__ void atom_u32_##MODE(float* buf, Cycles* out, int iters, int p) { reduce<MODE, 2>(buf, out, iters, p); }
REDUCE(0) REDUCE(1) REDUCE(2) REDUCE(3) REDUCE(4) REDUCE(5) REDUCE(6)

// Streams: every thread takes four elements of T from each of R arrays and to each of W, iters times;
// arrays are p MiB apart.
template <typename T> __device__ __forceinline__ T zero();
template <> __device__ __forceinline__ float zero<float>() { return 0.0f; }
template <> __device__ __forceinline__ float4 zero<float4>() { return make_float4(0, 0, 0, 0); }
__device__ __forceinline__ void add(float& s, float v) { s += v; }
__device__ __forceinline__ void add(float4& s, float4 v) { s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w; }
__device__ __forceinline__ float first(float v) { return v; }
__device__ __forceinline__ float first(float4 v) { return v.x + v.y + v.z + v.w; }
template <typename T, int R, int W> __device__ __forceinline__ void stream(float* buf, Cycles* out, int iters, int p) {
    size_t apart = ((size_t)p << 20) / sizeof(T);
    T* data = (T*)buf;
    for (int i = 0; i < iters; i++) {
        size_t at = ((size_t)i * gridDim.x + blockIdx.x) * blockDim.x * 4 + threadIdx.x;
        T s[4];
#pragma unroll
        for (int k = 0; k < 4; k++) s[k] = zero<T>();
#pragma unroll
        for (int r = 0; r < R; r++)
#pragma unroll
            for (int k = 0; k < 4; k++) add(s[k], data[r * apart + at + k * blockDim.x]);
#pragma unroll
        for (int w = 0; w < W; w++)
#pragma unroll
            for (int k = 0; k < 4; k++) data[(R + w) * apart + at + k * blockDim.x] = s[k];
        if (W == 0 && first(s[0]) + first(s[1]) + first(s[2]) + first(s[3]) == 12345.0f) out[0] = 1;
    }
}
#define STREAM(R, W) \
    extern "C" __global__ void s4_r##R##w##W(float* buf, Cycles* out, int iters, int p) { stream<float, R, W>(buf, out, iters, p); } \
    extern "C" __global__ void s16_r##R##w##W(float* buf, Cycles* out, int iters, int p) { stream<float4, R, W>(buf, out, iters, p); }
STREAM(1, 0) STREAM(0, 1) STREAM(1, 1) STREAM(2, 1) STREAM(1, 2)

// Tiles of 32 x 32 words of a matrix 2048 words wide, 32 x 8 threads: read one, write the same place
// (p = 0) or the place across the diagonal (p = 1) of another matrix; p = 2 only reads, 3 only writes.
extern "C" __global__ void tiles(float* buf, Cycles* out, int iters, int p) {
    int x = blockIdx.x & 63, y = blockIdx.x >> 6, lane = threadIdx.x & 31, row = threadIdx.x >> 5;
    const float* from = buf + (y * 32 + row) * 2048 + x * 32 + lane;
    int tx = p == 1 ? y : x, ty = p == 1 ? x : y;
    float* to = buf + (64 << 18) + (ty * 32 + row) * 2048 + tx * 32 + lane;
    float v[4] = {1, 2, 3, 4};
    if (p != 3)
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = from[k * 8 * 2048];
    if (p == 2) { if (v[0] + v[1] + v[2] + v[3] == 12345.0f) out[0] = 1; return; }
#pragma unroll
    for (int k = 0; k < 4; k++) to[k * 8 * 2048] = v[k];
}

// The first instructions of a warp: cycles until a parameter is there, until a word of memory is, and
// until a second one on another page of 2 MiB is.
extern "C" __global__ void start(float* buf, Cycles* out, int iters, int p) {
    Cycles t0 = clock64();
    int have = iters;
    asm volatile("" : "+r"(have)::"memory");
    Cycles t1 = clock64() + (have == 12345);
    float v = ((volatile float*)buf)[blockIdx.x * 1024];
    if (v == 12345.0f) t0 += 1;
    Cycles t2 = clock64();
    float w = ((volatile float*)buf)[(8 << 20) + blockIdx.x * 1024];
    if (w == 12345.0f) t0 += 1;
    Cycles t3 = clock64();
    if (threadIdx.x == 0) { out[3 * blockIdx.x] = t1 - t0; out[3 * blockIdx.x + 1] = t2 - t1; out[3 * blockIdx.x + 2] = t3 - t2; }
}
// Local memory: every thread writes its 64 words and reads them again, p words apart.
extern "C" __global__ void local_sweep(float* buf, Cycles* out, int iters, int p) {
    float mine[64], s = buf[0];
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll 4
        for (int k = 0; k < 64; k++) mine[(k * p) & 63] = s + k;
#pragma unroll 4
        for (int k = 0; k < 64; k++) s += mine[(k * p + i) & 63];
    }
    FINISH;
    if (s == 12345.0f) buf[0] = s;
}
extern "C" __global__ void empty(float* buf, Cycles* out, int iters, int p) {}
