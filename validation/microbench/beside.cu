// Shared loads of several widths and patterns beside multiply-adds; outer products of registers as
// tiles have them. Signatures and figures as in probes.cu.

typedef long long Cycles;

#define WARP (threadIdx.x >> 5)
#define PLACE (blockIdx.x * (blockDim.x >> 5) + WARP)
#define BEGIN Cycles begin = clock64()
#define FINISH Cycles took = clock64() - begin; if ((threadIdx.x & 31) == 0) out[PLACE] = took

template <int WORDS> struct Words { float at[WORDS]; };

template <int WORDS> __device__ __forceinline__ Words<WORDS> load_shared(unsigned at) {
    Words<WORDS> v;
    if constexpr (WORDS == 1) asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v.at[0]) : "r"(at));
    if constexpr (WORDS == 2)
        asm volatile("ld.volatile.shared.v2.f32 {%0,%1}, [%2];" : "=f"(v.at[0]), "=f"(v.at[1]) : "r"(at));
    if constexpr (WORDS == 4)
        asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(v.at[0]), "=f"(v.at[1]), "=f"(v.at[2]), "=f"(v.at[3]) : "r"(at));
    return v;
}

// Eight loads a trip of WORDS registers, LANES different addresses a warp (neighbours share one), N
// multiply-adds after each. USE: they read what was loaded a trip earlier, else only their own.
template <int WORDS, int LANES, int N, bool USE>
__device__ __forceinline__ void mixed(float* buf, Cycles* out, int iters, int skip) {
    __shared__ __align__(16) float space[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) space[i] = 0.0f;
    __syncthreads();
    if (WARP & skip) return;
    int lane = threadIdx.x & 31;
    unsigned at = (unsigned)__cvta_generic_to_shared(space) + lane / (32 / LANES) * WORDS * 4;
    float a[16], b = buf[1];
    for (int k = 0; k < 16; k++) a[k] = buf[k] + lane;
    Words<WORDS> v[8];
    for (int k = 0; k < 8; k++) v[k] = load_shared<WORDS>(at + k * 512);
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
#pragma unroll
            for (int j = 0; j < N; j++) {
                int n = k * N + j;
                float x = USE ? v[k].at[j % WORDS] : b;
                asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(a[n & 15]) : "f"(x));
            }
            v[k] = load_shared<WORDS>(at + k * 512);
        }
    }
    FINISH;
    float sum = 0;
    for (int k = 0; k < 16; k++) sum += a[k] + v[k & 7].at[k % WORDS];
    if (sum == 12345.0f) buf[0] = sum;
}
#define MIXED(name, WORDS, LANES, N, USE) \
    extern "C" __global__ void beside_##name##_##N(float* buf, Cycles* out, int iters, int p) { \
        mixed<WORDS, LANES, N, USE>(buf, out, iters, p); }
#define COUNTS(name, WORDS, LANES, USE) MIXED(name, WORDS, LANES, 2, USE) MIXED(name, WORDS, LANES, 4, USE) \
    MIXED(name, WORDS, LANES, 6, USE) MIXED(name, WORDS, LANES, 8, USE) MIXED(name, WORDS, LANES, 10, USE) \
    MIXED(name, WORDS, LANES, 12, USE) MIXED(name, WORDS, LANES, 16, USE) MIXED(name, WORDS, LANES, 24, USE)
#define BOTH(name, WORDS, LANES) COUNTS(name, WORDS, LANES, false) COUNTS(name##use, WORDS, LANES, true)
BOTH(w1, 1, 32) BOTH(w2, 2, 32) BOTH(w2half, 2, 16) BOTH(w4, 4, 32) BOTH(w4half, 4, 16)

// Steps of an outer product: TM + TN words loaded W at a time, TM * TN multiply-adds; sixteen steps a
// trip. Lanes lie as 32 / ACROSS rows of ACROSS.
template <int TM, int TN, int W, int ACROSS>
__device__ __forceinline__ void outer(float* buf, Cycles* out, int iters, int skip) {
    __shared__ __align__(16) float space[12288];
    for (int i = threadIdx.x; i < 12288; i += blockDim.x) space[i] = 0.0f;
    __syncthreads();
    if (WARP & skip) return;
    int lane = threadIdx.x & 31;
    float sums[TM][TN];
    for (int i = 0; i < TM; i++) for (int j = 0; j < TN; j++) sums[i][j] = buf[i + j] + lane;
    BEGIN;
#pragma unroll 1
    for (int trip = 0; trip < iters; trip++) {
#pragma unroll
        for (int step = 0; step < 16; step++) {
            float x[TM], y[TN];
#pragma unroll
            for (int i = 0; i < TM; i += W) {
                const float* from = space + (lane / ACROSS) * TM + step * 512 + i;
                if constexpr (W == 4) { float4 q = *(const float4*)from; x[i] = q.x; x[i + 1] = q.y; x[i + 2] = q.z; x[i + 3] = q.w; }
                if constexpr (W == 2) { float2 q = *(const float2*)from; x[i] = q.x; x[i + 1] = q.y; }
                if constexpr (W == 1) x[i] = *from;
            }
#pragma unroll
            for (int j = 0; j < TN; j += W) {
                const float* from = space + 256 + (lane % ACROSS) * TN + step * 512 + j;
                if constexpr (W == 4) { float4 q = *(const float4*)from; y[j] = q.x; y[j + 1] = q.y; y[j + 2] = q.z; y[j + 3] = q.w; }
                if constexpr (W == 2) { float2 q = *(const float2*)from; y[j] = q.x; y[j + 1] = q.y; }
                if constexpr (W == 1) y[j] = *from;
            }
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) sums[i][j] += x[i] * y[j];
        }
        asm volatile("" ::: "memory");
    }
    FINISH;
    float s = 0;
    for (int i = 0; i < TM; i++) for (int j = 0; j < TN; j++) s += sums[i][j];
    if (s == 12345.0f) buf[0] = s;
}
#define OUTER(TM, TN, W, ACROSS) extern "C" __global__ void outer_##TM##x##TN##_w##W##_a##ACROSS(float* buf, Cycles* out, int iters, int p) { \
    outer<TM, TN, W, ACROSS>(buf, out, iters, p); }
OUTER(4, 4, 4, 8) OUTER(4, 4, 4, 16) OUTER(8, 4, 4, 8) OUTER(8, 8, 4, 8) OUTER(2, 4, 2, 16) OUTER(2, 2, 2, 16)
