// How long integer products keep their pipe, and others from being dispatched: one block, every warp runs
// the same loop over eight independent chains and notes how many cycles it took.

constexpr int TRIPS = 200;

__device__ __forceinline__ long long clock_now() {
    long long now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}

enum Op { NONE, WIDE0, WIDE, LOW, HIGH, DP4, DP2, SHIFT, FUSED, PLUS };

template <int OP>
__device__ __forceinline__ void once(unsigned long long& w, unsigned& x, float& y) {
    unsigned l = (unsigned)w;
    if (OP == WIDE0) asm volatile("mul.wide.u32 %0, %1, %1;" : "=l"(w) : "r"(l));
    if (OP == WIDE) asm volatile("mad.wide.u32 %0, %1, %1, %0;" : "+l"(w) : "r"(x));
    if (OP == LOW) asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(x));
    if (OP == HIGH) asm volatile("mul.hi.u32 %0, %0, %0;" : "+r"(x));
    if (OP == DP4) asm volatile("dp4a.s32.s32 %0, %0, %0, %0;" : "+r"(x));
    if (OP == DP2) asm volatile("dp2a.lo.s32.s32 %0, %0, %0, %0;" : "+r"(x));
    if (OP == SHIFT) asm volatile("shf.l.wrap.b32 %0, %0, %0, 5;" : "+r"(x));
    if (OP == FUSED) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(y));
    if (OP == PLUS) asm volatile("add.u32 %0, %0, 12345;" : "+r"(x));
}

template <int A, int B, int C, int D>
__device__ __forceinline__ void run(const unsigned* in, unsigned* out, long long* cycles) {
    unsigned long long w[8];
    unsigned x[8];
    float y[8];
    for (int i = 0; i < 8; i++) {
        w[i] = in[threadIdx.x + i];
        x[i] = in[threadIdx.x + 2 * i];
        y[i] = __uint_as_float(in[threadIdx.x + 3 * i]);
    }
    __syncthreads();
    const long long start = clock_now();
#pragma unroll 1
    for (int t = 0; t < TRIPS; t++)
#pragma unroll
        for (int n = 0; n < 2; n++)
#pragma unroll
            for (int i = 0; i < 8; i++) {
                once<A>(w[i], x[i], y[i]);
                once<B>(w[(i + 2) % 8], x[(i + 2) % 8], y[(i + 2) % 8]);
                once<C>(w[(i + 4) % 8], x[(i + 4) % 8], y[(i + 4) % 8]);
                once<D>(w[(i + 6) % 8], x[(i + 6) % 8], y[(i + 6) % 8]);
            }
    const long long end = clock_now();
    unsigned s = 0;
    for (int i = 0; i < 8; i++) s ^= (unsigned)w[i] ^ (unsigned)(w[i] >> 32) ^ x[i] ^ __float_as_uint(y[i]);
    out[threadIdx.x] = s;
    if (threadIdx.x % 32 == 0) cycles[threadIdx.x / 32] = end - start;
}

#define PROBE(name, a, b, c, d) \
    extern "C" __global__ void name(const unsigned* in, unsigned* out, long long* cycles) { run<a, b, c, d>(in, out, cycles); }
PROBE(wide0, WIDE0, NONE, NONE, NONE)
PROBE(low, LOW, NONE, NONE, NONE)
PROBE(high, HIGH, NONE, NONE, NONE)
PROBE(dp4, DP4, NONE, NONE, NONE)
PROBE(dp2, DP2, NONE, NONE, NONE)
PROBE(plus, PLUS, NONE, NONE, NONE)
PROBE(wide_shift, WIDE, SHIFT, NONE, NONE)
PROBE(wide_shift2, WIDE, SHIFT, SHIFT, NONE)
PROBE(wide_shift3, WIDE, SHIFT, SHIFT, SHIFT)
PROBE(wide_low, WIDE, LOW, NONE, NONE)
PROBE(wide_shift_low, WIDE, SHIFT, LOW, NONE)
PROBE(wide_low_shift2, WIDE, LOW, SHIFT, SHIFT)
PROBE(low_shift, LOW, SHIFT, NONE, NONE)
PROBE(low_shift2, LOW, SHIFT, SHIFT, NONE)
PROBE(low_fused, LOW, FUSED, NONE, NONE)
PROBE(high_shift, HIGH, SHIFT, NONE, NONE)
PROBE(dp2_shift, DP2, SHIFT, NONE, NONE)
PROBE(dp4_shift, DP4, SHIFT, NONE, NONE)
PROBE(plus_shift, PLUS, SHIFT, NONE, NONE)
PROBE(plus_shift_low, PLUS, SHIFT, LOW, NONE)
