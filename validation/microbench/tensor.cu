// The tensor pipe, matrix loads and asynchronous copies. Signatures and figures as in probes.cu.

typedef long long Cycles;

#define PLACE (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5))
#define BEGIN Cycles begin = clock64()
#define FINISH Cycles took = clock64() - begin; if ((threadIdx.x & 31) == 0) out[PLACE] = took

// Sixteen matrix products a trip over N accumulators in turn: N = 1 is a chain. KIND 0 f16 with f32
// sums 16x8x16, 1 the same 16x8x8, 2 f16 sums, 3 bf16, 4 tf32 16x8x8, 5 int8 16x8x32.
template <int KIND> __device__ __forceinline__ void multiply(unsigned (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    if (KIND == 0)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    if (KIND == 1)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b0));
    if (KIND == 2)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"
                     : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    if (KIND == 3)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    if (KIND == 4)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    if (KIND == 5)
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <int KIND, int N> __device__ __forceinline__ void products(float* buf, Cycles* out, int iters) {
    unsigned d[N][4], a[4], b[4];
    for (int k = 0; k < 4; k++) { a[k] = __float_as_uint(buf[k]); b[k] = __float_as_uint(buf[k + 4]); }
    for (int n = 0; n < N; n++) for (int k = 0; k < 4; k++) d[n][k] = __float_as_uint(buf[n + k]);
    __syncthreads();
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++)
#pragma unroll
        for (int k = 0; k < 16; k++) multiply<KIND>(d[k % N], a, b[2 * (k & 1)], b[2 * (k & 1) + 1]);
    FINISH;
    unsigned s = 0;
    for (int n = 0; n < N; n++) for (int k = 0; k < 4; k++) s += d[n][k];
    if (s == 12345) buf[0] = s;
}
#define PRODUCTS(name, KIND, N) extern "C" __global__ void mma_##name##_##N(float* buf, Cycles* out, int iters, int p) { \
    products<KIND, N>(buf, out, iters); }
#define ALL(name, KIND) PRODUCTS(name, KIND, 1) PRODUCTS(name, KIND, 2) PRODUCTS(name, KIND, 8)
ALL(f16, 0) ALL(f16k8, 1) ALL(f16acc, 2) ALL(bf16, 3) ALL(tf32, 4) ALL(int8, 5)

// Matrix loads, eight a trip. CHAIN: the address of each is the result of the one before.
template <int TILES, bool CHAIN> __device__ __forceinline__ void matrices(float* buf, Cycles* out, int iters) {
    __shared__ __align__(16) unsigned space[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) space[i] = 0;
    __syncthreads();
    unsigned base = (unsigned)__cvta_generic_to_shared(space) + (threadIdx.x & 31) * 16, at = base, s = 0;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++)
#pragma unroll
        for (int k = 0; k < 8; k++) {
            unsigned r[4] = {0, 0, 0, 0}, from = CHAIN ? at : base + 512 * k;
            if (TILES == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];" : "=r"(r[0]) : "r"(from));
            if (TILES == 2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(from));
            if (TILES == 4) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(from));
            if (CHAIN) at = base + r[TILES - 1];
            else s += r[0] + r[1] + r[2] + r[3];
        }
    FINISH;
    if (s + at == 12345) buf[0] = s;
}
#define MATRICES(TILES) \
    extern "C" __global__ void ldsm_chain_##TILES(float* buf, Cycles* out, int iters, int p) { matrices<TILES, true>(buf, out, iters); } \
    extern "C" __global__ void ldsm_##TILES(float* buf, Cycles* out, int iters, int p) { matrices<TILES, false>(buf, out, iters); }
MATRICES(1) MATRICES(2) MATRICES(4)

// Asynchronous copies, N a trip; WAIT: every trip waits for its own. KIND 0 past L1 with 16 bytes, 1
// through L1 with 16, 2 through L1 with 4. Lines move on every trip through p KiB a warp.
template <int KIND, int N, bool WAIT> __device__ __forceinline__ void copies(float* buf, Cycles* out, int iters, int p) {
    extern __shared__ __align__(16) unsigned char space[];
    constexpr int BYTES = KIND == 2 ? 4 : 16;
    unsigned to = (unsigned)__cvta_generic_to_shared(space) + threadIdx.x * BYTES;
    const char* from = (const char*)buf + PLACE * (p << 10) + (threadIdx.x & 31) * BYTES;
    int at = 0;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (KIND == 0) asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from + at + k * 32 * BYTES));
            if (KIND == 1) asm volatile("cp.async.ca.shared.global [%0],[%1],16;" ::"r"(to), "l"(from + at + k * 32 * BYTES));
            if (KIND == 2) asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(to), "l"(from + at + k * 32 * BYTES));
        }
        at = (at + N * 32 * BYTES) & ((p << 10) - 1);
        if (WAIT) asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    FINISH;
}
#define COPIES(name, KIND, N, WAIT) extern "C" __global__ void cp_##name##_##N(float* buf, Cycles* out, int iters, int p) { \
    copies<KIND, N, WAIT>(buf, out, iters, p); }
COPIES(cg_wait, 0, 1, true) COPIES(cg_wait, 0, 4, true) COPIES(cg_wait, 0, 8, true) COPIES(cg, 0, 8, false)
COPIES(ca_wait, 1, 1, true) COPIES(ca_wait, 1, 4, true) COPIES(ca, 1, 8, false)
COPIES(ca4_wait, 2, 1, true) COPIES(ca4_wait, 2, 4, true) COPIES(ca4, 2, 8, false)

// One copy a trip whose address is made anew in the same registers: how long operands are held.
extern "C" __global__ void cp_reuse(float* buf, Cycles* out, int iters, int p) {
    extern __shared__ __align__(16) unsigned char space[];
    unsigned to = (unsigned)__cvta_generic_to_shared(space) + threadIdx.x * 16;
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const char* from = (const char*)buf + (((unsigned)i * p + k * 77) & 0xFFFF) * 16 + (threadIdx.x & 31) * 16;
            asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from));
        }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    FINISH;
}
