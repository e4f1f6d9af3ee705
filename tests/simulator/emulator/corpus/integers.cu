// Integer arithmetic: every thread works on its own elements.
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;
#define ID (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void divide32(const int* a, const int* b, int* out, int n) {
    int i = ID;
    if (i >= n) return;
    out[i] = a[i] / b[i];
    out[n + i] = a[i] % b[i];
    out[2 * n + i] = (u32)a[i] / (u32)b[i];
    out[3 * n + i] = (u32)a[i] % (u32)b[i];
    out[4 * n + i] = a[i] / 7 + a[i] % 10;
    out[5 * n + i] = (u32)a[i] / 641u + (u32)a[i] % 1000u;
}

extern "C" __global__ void divide64(const s64* a, const s64* b, s64* out, int n) {
    int i = ID;
    if (i >= n) return;
    out[i] = a[i] / b[i];
    out[n + i] = a[i] % b[i];
    out[2 * n + i] = (u64)a[i] / (u64)b[i];
    out[3 * n + i] = (u64)a[i] % (u64)b[i];
    out[4 * n + i] = a[i] / 1000003ll;
}

extern "C" __global__ void arithmetic64(const s64* a, const s64* b, s64* out, int n) {
    int i = ID;
    if (i >= n) return;
    s64 x = a[i], y = b[i];
    out[i] = x + y;
    out[n + i] = x - y;
    out[2 * n + i] = x * y;
    out[3 * n + i] = x < y ? x : y;
    out[4 * n + i] = (u64)x > (u64)y ? x : y;
    out[5 * n + i] = x << (y & 63);
    out[6 * n + i] = x >> (y & 63);
    out[7 * n + i] = (u64)x >> (y & 63);
    out[8 * n + i] = __mul64hi(x, y);
    out[9 * n + i] = __umul64hi(x, y);
    out[10 * n + i] = x < 0 ? -x : x;
    out[11 * n + i] = ((x ^ y) & ~(x | y)) + (x == y) + 2 * (x >= y);
}

extern "C" __global__ void bits(const u32* a, const u32* b, u32* out, int n) {
    int i = ID;
    if (i >= n) return;
    u32 x = a[i], y = b[i];
    u64 w = (u64)x << 32 | y;
    out[i] = __popc(x) + 100 * __clz(x) + 10000 * __ffs(x);
    out[n + i] = __brev(x);
    out[2 * n + i] = __byte_perm(x, y, 0x6531);
    out[3 * n + i] = __byte_perm(x, y, y);
    out[4 * n + i] = __funnelshift_l(x, y, y);
    out[5 * n + i] = __funnelshift_r(x, y, x);
    out[6 * n + i] = __funnelshift_lc(x, y, y & 63);
    out[7 * n + i] = __funnelshift_rc(x, y, x & 63);
    out[8 * n + i] = __popcll(w) + 100 * __clzll(w) + 10000 * __ffsll(w);
    out[9 * n + i] = (u32)(__brevll(w) >> 32);
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(out[10 * n + i]) : "r"(x), "r"(y & 31), "r"(y >> 5 & 31));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(out[11 * n + i]) : "r"(x), "r"(y & 31), "r"(y >> 5 & 31));
    asm("bfi.b32 %0, %1, %2, %3, %4;"
        : "=r"(out[12 * n + i]) : "r"(x), "r"(y), "r"(x & 31), "r"(y >> 5 & 31));
    out[13 * n + i] = x << (y & 31) | x >> (-y & 31);
    out[14 * n + i] = (x & (x - 1)) == 0 ? x : x | x >> 1;
}

extern "C" __global__ void extrema(const int* a, const int* b, int* out, int n) {
    int i = ID;
    if (i >= n) return;
    int x = a[i], y = b[i];
    out[i] = min(x, y);
    out[n + i] = max(x, y);
    out[2 * n + i] = umin((u32)x, (u32)y);
    out[3 * n + i] = umax((u32)x, (u32)y);
    out[4 * n + i] = abs(x);
    out[5 * n + i] = __sad(x, y, 5);
    out[6 * n + i] = __usad(x, y, 5u);
    out[7 * n + i] = __mulhi(x, y);
    out[8 * n + i] = __umulhi(x, y);
    out[9 * n + i] = __hadd(x, y);
    out[10 * n + i] = __rhadd(x, y);
    out[11 * n + i] = min(max(x, -100), 100);
    out[12 * n + i] = max(max(x, y), x + y);
    out[13 * n + i] = min(min(x, y), 17);
}

extern "C" __global__ void dot_bytes(const int* a, const int* b, int* out, int n) {
    int i = ID;
    if (i >= n) return;
    out[i] = __dp4a(a[i], b[i], i);
    out[n + i] = __dp4a((u32)a[i], (u32)b[i], (u32)i);
    out[2 * n + i] = __dp2a_lo(a[i], b[i], i);
    out[3 * n + i] = __dp2a_hi((u32)a[i], (u32)b[i], (u32)i);
}

extern "C" __global__ void packed_bytes(const u32* a, const u32* b, u32* out, int n) {
    int i = ID;
    if (i >= n) return;
    out[i] = __vadd4(a[i], b[i]);
    out[n + i] = __vsub2(a[i], b[i]);
    out[2 * n + i] = __vminu4(a[i], b[i]);
    out[3 * n + i] = __vabsdiffu4(a[i], b[i]);
    out[4 * n + i] = __vcmpgtu4(a[i], b[i]);
    out[5 * n + i] = __vmaxs2(a[i], b[i]);
    out[6 * n + i] = __vaddss2(a[i], b[i]);
    out[7 * n + i] = __vavgu4(a[i], b[i]);
}

extern "C" __global__ void small_types(
    const signed char* a, const unsigned short* b, signed char* bytes, short* words, u64* wide, int n) {
    int i = ID;
    if (i >= n) return;
    bytes[i] = a[i] * 3 + b[i];
    words[i] = (short)(a[i] << 5) - b[i];
    wide[i] = (u64)((s64)a[i] * b[i]);
}

extern "C" __global__ void carry(const u32* a, const u32* b, u32* out, int n) {
    // 128-bit sums and products by add-with-carry chains
    int i = ID;
    if (i >= n) return;
    u32 s0, s1, s2, s3;
    asm("add.cc.u32 %0, %4, %8;\n\taddc.cc.u32 %1, %5, %9;\n\taddc.cc.u32 %2, %6, %10;\n\t"
        "addc.u32 %3, %7, %11;"
        : "=r"(s0), "=r"(s1), "=r"(s2), "=r"(s3)
        : "r"(a[4 * i]), "r"(a[4 * i + 1]), "r"(a[4 * i + 2]), "r"(a[4 * i + 3]),
          "r"(b[4 * i]), "r"(b[4 * i + 1]), "r"(b[4 * i + 2]), "r"(b[4 * i + 3]));
    out[8 * i] = s0; out[8 * i + 1] = s1; out[8 * i + 2] = s2; out[8 * i + 3] = s3;
    asm("sub.cc.u32 %0, %4, %8;\n\tsubc.cc.u32 %1, %5, %9;\n\tsubc.cc.u32 %2, %6, %10;\n\t"
        "subc.u32 %3, %7, %11;"
        : "=r"(s0), "=r"(s1), "=r"(s2), "=r"(s3)
        : "r"(a[4 * i]), "r"(a[4 * i + 1]), "r"(a[4 * i + 2]), "r"(a[4 * i + 3]),
          "r"(b[4 * i]), "r"(b[4 * i + 1]), "r"(b[4 * i + 2]), "r"(b[4 * i + 3]));
    out[8 * i + 4] = s0; out[8 * i + 5] = s1; out[8 * i + 6] = s2; out[8 * i + 7] = s3;
}
