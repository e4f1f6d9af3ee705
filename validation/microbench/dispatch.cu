// What a sub-core dispatches beside what: one block, every warp runs the same loop of eight operations
// on eight independent chains each and notes how many cycles it took.

constexpr int TRIPS = 60;

__device__ __forceinline__ long long clock_now() {
    long long now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}

// A floating-point number f, an integer u, a half pair h, a double d each chain; x, z, v, w only read.
enum Op { NONE, FMA, FMA4, FMAI, SQUARE, ADD, ADDI, MUL, MIN, PICK, GUARD, LOGIC, LOGICI, ADD3, MAD, MADI, SHIFT, SHIFTI, BYTES, LESS,
          EXP2, DFMA, DADD, HFMA, HADD, TOFLOAT, TOINT, COUNT };

struct Chain { float f; unsigned u, h; double d; };
struct Fixed { float x, z; unsigned v, w; };

template <int OP>
__device__ __forceinline__ void once(Chain& c, const Fixed& a, const Fixed& b) {
    if (OP == FMA) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(c.f) : "f"(a.x), "f"(b.z));
    if (OP == FMA4) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(c.f) : "f"(a.x), "f"(b.z));
    if (OP == FMAI) asm volatile("fma.rn.f32 %0, %0, 0f3F800123, %1;" : "+f"(c.f) : "f"(a.x));
    if (OP == SQUARE) asm volatile("fma.rn.f32 %0, %1, %1, %0;" : "+f"(c.f) : "f"(a.x));
    if (OP == ADD) asm volatile("add.f32 %0, %0, %1;" : "+f"(c.f) : "f"(a.x));
    if (OP == ADDI) asm volatile("add.f32 %0, %0, 0f3F800123;" : "+f"(c.f));
    if (OP == MUL) asm volatile("mul.f32 %0, %0, %1;" : "+f"(c.f) : "f"(a.x));
    if (OP == MIN) asm volatile("min.f32 %0, %0, %1;" : "+f"(c.f) : "f"(a.x));
    if (OP == PICK) asm volatile("{.reg .pred p; setp.gt.f32 p, %0, %1; selp.f32 %0, %2, %0, p;}" : "+f"(c.f) : "f"(a.x), "f"(b.z));
    if (OP == GUARD) asm volatile("{.reg .pred p; setp.gt.f32 p, %0, %1; @p mul.f32 %0, %0, %2;}" : "+f"(c.f) : "f"(a.x), "f"(b.z));
    if (OP == LOGIC) asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(c.u) : "r"(a.v), "r"(b.w));
    if (OP == LOGICI) asm volatile("lop3.b32 %0, %0, 12345, %1, 0x96;" : "+r"(c.u) : "r"(a.v));
    if (OP == ADD3) asm volatile("{.reg .u32 t; add.u32 t, %1, %2; add.u32 %0, %0, t;}" : "+r"(c.u) : "r"(a.v), "r"(b.w));
    if (OP == MAD) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(c.u) : "r"(a.v), "r"(b.w));
    if (OP == MADI) asm volatile("mad.lo.u32 %0, %0, 12345, %1;" : "+r"(c.u) : "r"(a.v));
    if (OP == SHIFT) asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(c.u) : "r"(a.v), "r"(b.w));
    if (OP == SHIFTI) asm volatile("shf.l.wrap.b32 %0, %0, %0, 5;" : "+r"(c.u));
    if (OP == BYTES) asm volatile("prmt.b32 %0, %0, %1, 0x3610;" : "+r"(c.u) : "r"(a.v));
    if (OP == LESS) asm volatile("min.s32 %0, %0, %1;" : "+r"(c.u) : "r"(a.v));
    if (OP == EXP2) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(c.f));
    if (OP == DFMA) asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(c.d));
    if (OP == DADD) asm volatile("add.f64 %0, %0, %0;" : "+d"(c.d));
    if (OP == HFMA) asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(c.h) : "r"(a.v), "r"(b.w));
    if (OP == HADD) asm volatile("add.f16x2 %0, %0, %1;" : "+r"(c.h) : "r"(a.v));
    if (OP == TOFLOAT) asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(c.f) : "r"(c.u));
    if (OP == TOINT) asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(c.u) : "f"(c.f));
    if (OP == COUNT) asm volatile("popc.b32 %0, %0;" : "+r"(c.u));
}

template <int A, int B, int C, int D, int E, int F, int G, int H>
__device__ __forceinline__ void run(const unsigned* in, unsigned* out, long long* cycles) {
    Chain c[8];
    Fixed k[4];
    for (int i = 0; i < 8; i++) {
        c[i] = {__uint_as_float(in[threadIdx.x + i]), in[threadIdx.x + 2 * i], in[threadIdx.x + 3 * i], 0.0};
        c[i].d = c[i].f;
    }
    for (int i = 0; i < 4; i++)
        k[i] = {__uint_as_float(in[threadIdx.x + 5 * i]), __uint_as_float(in[threadIdx.x + 7 * i]), in[threadIdx.x + 9 * i], in[threadIdx.x + 11 * i]};
    __syncthreads();
    const long long start = clock_now();
#pragma unroll 1
    for (int t = 0; t < TRIPS; t++)
#pragma unroll
        for (int i = 0; i < 8; i++) {
            once<A>(c[i], k[i % 4], k[(i / 2) % 4]);
            once<B>(c[(i + 3) % 8], k[(i + 1) % 4], k[(i / 2 + 1) % 4]);
            once<C>(c[(i + 6) % 8], k[(i + 2) % 4], k[(i / 2 + 2) % 4]);
            once<D>(c[(i + 1) % 8], k[(i + 3) % 4], k[(i / 2 + 3) % 4]);
            once<E>(c[(i + 4) % 8], k[i % 4], k[(i / 2 + 1) % 4]);
            once<F>(c[(i + 7) % 8], k[(i + 1) % 4], k[(i / 2 + 2) % 4]);
            once<G>(c[(i + 2) % 8], k[(i + 2) % 4], k[(i / 2 + 3) % 4]);
            once<H>(c[(i + 5) % 8], k[(i + 3) % 4], k[(i / 2) % 4]);
        }
    const long long end = clock_now();
    unsigned s = 0;
    for (int i = 0; i < 8; i++) s ^= c[i].u ^ c[i].h ^ __float_as_uint(c[i].f) ^ (unsigned)__double_as_longlong(c[i].d);
    out[threadIdx.x] = s;
    if (threadIdx.x % 32 == 0) cycles[threadIdx.x / 32] = end - start;
}

#define PROBE(name, ...) \
    extern "C" __global__ void __launch_bounds__(512) name(const unsigned* in, unsigned* out, long long* cycles) { run<__VA_ARGS__>(in, out, cycles); }
#define ONE(name, a) PROBE(one_##name, a, NONE, NONE, NONE, NONE, NONE, NONE, NONE)
#define TWO(name, a, b) PROBE(name, a, b, NONE, NONE, NONE, NONE, NONE, NONE)
#define THREE(name, a, b, c) PROBE(name, a, b, c, NONE, NONE, NONE, NONE, NONE)
#define FOUR(name, a, b, c, d) PROBE(name, a, b, c, d, NONE, NONE, NONE, NONE)

ONE(fma, FMA)
ONE(fma4, FMA4)
ONE(fmai, FMAI)
ONE(square, SQUARE)
ONE(add, ADD)
ONE(addi, ADDI)
ONE(mul, MUL)
ONE(min, MIN)
ONE(pick, PICK)
ONE(guard, GUARD)
ONE(logic, LOGIC)
ONE(logici, LOGICI)
ONE(add3, ADD3)
ONE(mad, MAD)
ONE(madi, MADI)
ONE(shift, SHIFT)
ONE(shifti, SHIFTI)
ONE(bytes, BYTES)
ONE(less, LESS)
ONE(exp2, EXP2)
ONE(dfma, DFMA)
ONE(dadd, DADD)
ONE(hfma, HFMA)
ONE(hadd, HADD)
ONE(tofloat, TOFLOAT)
ONE(toint, TOINT)
ONE(count, COUNT)
TWO(fma_logic, FMA, LOGIC)
TWO(fma_add3, FMA, ADD3)
TWO(fma_mad, FMA, MAD)
TWO(fma_madi, FMA, MADI)
TWO(fma_add, FMA, ADD)
TWO(fma_mul, FMA, MUL)
TWO(fma_min, FMA, MIN)
TWO(fma_hfma, FMA, HFMA)
TWO(fma_dfma, FMA, DFMA)
TWO(fma_exp2, FMA, EXP2)
TWO(fma_shifti, FMA, SHIFTI)
TWO(add_logic, ADD, LOGIC)
TWO(add_min, ADD, MIN)
TWO(add_mad, ADD, MAD)
TWO(add_hfma, ADD, HFMA)
TWO(add_dfma, ADD, DFMA)
TWO(add_exp2, ADD, EXP2)
TWO(add_guard, ADD, GUARD)
TWO(mul_pick, MUL, PICK)
TWO(logic_mad, LOGIC, MAD)
TWO(add3_mad, ADD3, MAD)
TWO(addi_logici, ADDI, LOGICI)
TWO(fmai_logici, FMAI, LOGICI)
TWO(fmai_madi, FMAI, MADI)
TWO(hfma_logic, HFMA, LOGIC)
TWO(dfma_logic, DFMA, LOGIC)
TWO(fma4_logic, FMA4, LOGIC)
TWO(fma4_add, FMA4, ADD)
TWO(square_add, SQUARE, ADD)
THREE(fma_fma_logic, FMA, FMA, LOGIC)
THREE(fma_fma_mad, FMA, FMA, MAD)
THREE(add_add_mad, ADD, ADD, MAD)
THREE(add_add_hfma, ADD, ADD, HFMA)
THREE(add_add_dfma, ADD, ADD, DFMA)
THREE(add_logic_mad, ADD, LOGIC, MAD)
THREE(fma_logic_mad, FMA, LOGIC, MAD)
THREE(fma_mul_min, FMA, MUL, MIN)
THREE(add_mul_logic, ADD, MUL, LOGIC)
THREE(fma_add_hfma, FMA, ADD, HFMA)
FOUR(add_add_add_hfma, ADD, ADD, ADD, HFMA)
FOUR(add_add_add_dfma, ADD, ADD, ADD, DFMA)
FOUR(add_add_add_exp2, ADD, ADD, ADD, EXP2)
FOUR(add_add_add_mad, ADD, ADD, ADD, MAD)
FOUR(fma_fma_fma_mad, FMA, FMA, FMA, MAD)
FOUR(fma_fma_fma_logic, FMA, FMA, FMA, LOGIC)
FOUR(fma_add_mul_guard, FMA, ADD, MUL, GUARD)
FOUR(fma_mul_logic_add3, FMA, MUL, LOGIC, ADD3)
PROBE(mix_0, ADDI, FMAI, MUL, FMA, FMA4, PICK, FMA4, ADDI)
PROBE(mix_1, LOGIC, LESS, MAD, LOGIC, LOGICI, SHIFTI, SHIFTI, LOGICI)
PROBE(mix_2, MIN, FMAI, BYTES, MAD, FMA4, LESS, SQUARE, MIN)
PROBE(mix_3, LESS, FMA4, LESS, LESS, ADD3, FMA4, MIN, FMA4)
PROBE(mix_4, PICK, FMAI, ADD, MUL, FMAI, PICK, FMA4, GUARD)
PROBE(mix_5, MADI, LESS, ADD3, LOGICI, MAD, SHIFT, LOGICI, LESS)
PROBE(mix_6, FMAI, LESS, FMA4, MUL, SHIFT, BYTES, MAD, LOGIC)
PROBE(mix_7, MADI, LESS, MADI, LOGICI, GUARD, MIN, ADDI, MIN)
PROBE(mix_8, FMA4, GUARD, ADD, PICK, MIN, ADDI, MIN, ADD)
PROBE(mix_9, LOGICI, LOGICI, LESS, SHIFTI, ADD3, SHIFT, ADD3, BYTES)
PROBE(mix_10, MAD, FMA4, FMAI, BYTES, LESS, LOGIC, LOGIC, LOGICI)
PROBE(mix_11, EXP2, SHIFT, LESS, MADI, FMAI, FMAI, PICK, SHIFT)
PROBE(mix_12, FMA4, FMA, ADD, GUARD, MIN, ADD, MUL, ADDI)
PROBE(mix_13, LOGIC, BYTES, SHIFT, ADD3, LOGICI, BYTES, LOGIC, MAD)
PROBE(mix_14, GUARD, ADD, MIN, ADD3, ADD3, SHIFT, FMAI, ADDI)
PROBE(mix_15, MADI, ADD3, BYTES, PICK, ADD, MAD, BYTES, PICK)
PROBE(mix_16, MUL, ADDI, MUL, SQUARE, FMAI, FMA4, FMAI, FMAI)
PROBE(mix_17, MAD, MAD, LOGIC, BYTES, ADD3, MADI, MADI, LOGIC)
PROBE(mix_18, ADD, MAD, BYTES, LOGICI, LESS, LOGIC, ADD, SHIFTI)
PROBE(mix_19, EXP2, FMA4, MADI, BYTES, ADD3, ADD3, ADD3, ADD3)
PROBE(mix_20, FMA4, MIN, MUL, FMA, SQUARE, FMA4, SQUARE, MIN)
PROBE(mix_21, ADD3, LOGICI, SHIFT, LOGIC, LOGICI, LOGIC, ADD3, LESS)
PROBE(mix_22, SQUARE, LOGICI, FMA, FMAI, MUL, ADD3, ADD, PICK)
PROBE(mix_23, LOGICI, EXP2, LOGICI, SHIFT, SQUARE, SQUARE, SHIFT, MADI)
