// Matrix loads, matrix products, asynchronous copies, stores and barriers among each other.
// Signatures and figures as in probes.cu.

typedef long long Cycles;

#define WARP (threadIdx.x >> 5)
#define PLACE (blockIdx.x * (blockDim.x >> 5) + WARP)
#define BEGIN Cycles begin = clock64()
#define FINISH Cycles took = clock64() - begin; if ((threadIdx.x & 31) == 0) out[PLACE] = took

__device__ __forceinline__ void load4(unsigned (&r)[4], unsigned at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void load4t(unsigned (&r)[4], unsigned at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void load2(unsigned (&r)[4], unsigned at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// MA fragments of A and NB of B (of 16 columns) loaded, MA * 2 NB products; four steps a trip. WAY 0:
// products use what was loaded in the step; 1: nothing that is loaded; 2: no products; 3: loads of B
// turned; 4: meet before and after.
template <int MA, int NB, int WAY> __device__ __forceinline__ void tiles(float* buf, Cycles* out, int iters, int skip) {
    __shared__ __align__(16) unsigned space[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) space[i] = 0;
    __syncthreads();
    if (WARP & skip) return;
    unsigned at = (unsigned)__cvta_generic_to_shared(space) + (threadIdx.x & 31) * 80 + (WARP & 3) * 16;
    float sums[MA][2 * NB][4];
    for (int i = 0; i < MA; i++) for (int j = 0; j < 2 * NB; j++) for (int k = 0; k < 4; k++) sums[i][j][k] = buf[k + i + j];
    unsigned fixed[4] = {__float_as_uint(buf[0]), __float_as_uint(buf[1]), __float_as_uint(buf[2]), __float_as_uint(buf[3])}, s = 0;
    BEGIN;
#pragma unroll 1
    for (int trip = 0; trip < iters; trip++) {
#pragma unroll
        for (int step = 0; step < 4; step++) {
            unsigned a[MA][4], b[NB][4];
            if (WAY == 4) __syncthreads();
#pragma unroll
            for (int i = 0; i < MA; i++) load4(a[i], at + step * 4096 + i * 2560);
#pragma unroll
            for (int j = 0; j < NB; j++) { if (WAY == 3) load4t(b[j], at + step * 4096 + j * 2560 + 1024); else load4(b[j], at + step * 4096 + j * 2560 + 1024); }
            if (WAY != 2) {
#pragma unroll
                for (int i = 0; i < MA; i++)
#pragma unroll
                    for (int j = 0; j < 2 * NB; j++) {
                        if (WAY == 1) multiply(sums[i][j], fixed, fixed[0], fixed[1]);
                        else multiply(sums[i][j], a[i], b[j / 2][2 * (j & 1)], b[j / 2][2 * (j & 1) + 1]);
                    }
            }
            if (WAY == 1 || WAY == 2) { for (int i = 0; i < MA; i++) s += a[i][0] + a[i][3]; for (int j = 0; j < NB; j++) s += b[j][0]; }
            if (WAY == 4) __syncthreads();
        }
    }
    FINISH;
    float sum = s;
    for (int i = 0; i < MA; i++) for (int j = 0; j < 2 * NB; j++) for (int k = 0; k < 4; k++) sum += sums[i][j][k];
    if (sum == 12345.0f) buf[0] = sum;
}
#define TILES(MA, NB, WAY) extern "C" __global__ void tile_##MA##NB##_##WAY(float* buf, Cycles* out, int iters, int p) { tiles<MA, NB, WAY>(buf, out, iters, p); }
#define WAYS(MA, NB) TILES(MA, NB, 0) TILES(MA, NB, 1) TILES(MA, NB, 2) TILES(MA, NB, 3) TILES(MA, NB, 4)
WAYS(1, 1) WAYS(2, 1) WAYS(2, 2) WAYS(4, 2)

// COPIES asynchronous copies of 16 bytes a lane past L1 (KIND 0) or through it (1), 4 bytes a lane (2),
// and LOADS shared loads of 16 bytes, a trip. The copies of the trip before are waited for; WAIT 2: and
// all meet. p: KiB that a warp moves through.
template <int KIND, int COPIES, int LOADS, int WAIT> __device__ __forceinline__ void copies(float* buf, Cycles* out, int iters, int p) {
    extern __shared__ __align__(16) unsigned char space[];
    constexpr int BYTES = KIND == 2 ? 4 : 16;
    unsigned first = (unsigned)__cvta_generic_to_shared(space), to = first + threadIdx.x * BYTES;
    const char* from = (const char*)buf + PLACE * (p << 10) + (threadIdx.x & 31) * BYTES;
    int at = 0;
    float sum = 0;
    __syncthreads();
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int k = 0; k < COPIES; k++) {
            if (KIND == 0) asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from + at + k * 32 * BYTES));
            if (KIND == 1) asm volatile("cp.async.ca.shared.global [%0],[%1],16;" ::"r"(to), "l"(from + at + k * 32 * BYTES));
            if (KIND == 2) asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(to), "l"(from + at + k * 32 * BYTES));
        }
        asm volatile("cp.async.commit_group;\n" ::: "memory");
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            float x, y, z, w;
            asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(first + (threadIdx.x & 31) * 16 + k * 512));
            sum += x + w;
        }
        at = (at + COPIES * 32 * BYTES) & ((p << 10) - 1);
        if (WAIT == 1) asm volatile("cp.async.wait_group 1;" ::: "memory");
        if (WAIT == 2) { asm volatile("cp.async.wait_group 1;" ::: "memory"); __syncthreads(); }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    FINISH;
    if (sum == 12345.0f) buf[0] = sum;
}
#define COPY(KIND, COPIES, LOADS, WAIT) extern "C" __global__ void copy_##KIND##_##COPIES##_##LOADS##_##WAIT(float* buf, Cycles* out, int iters, int p) { \
    copies<KIND, COPIES, LOADS, WAIT>(buf, out, iters, p); }
#define COPYS(KIND, LOADS, WAIT) COPY(KIND, 1, LOADS, WAIT) COPY(KIND, 2, LOADS, WAIT) COPY(KIND, 4, LOADS, WAIT)
COPYS(0, 0, 1) COPYS(0, 8, 1) COPYS(0, 16, 1) COPYS(0, 32, 1) COPYS(0, 16, 2) COPYS(1, 0, 1) COPYS(1, 16, 1) COPYS(2, 0, 1) COPYS(2, 16, 1)
COPY(0, 0, 8, 1) COPY(0, 0, 16, 1) COPY(0, 0, 32, 1) COPY(0, 0, 16, 2)

// Lanes that are multiples of p store four numbers to shared memory (LOAD: that they load first), twice;
// the warps meet, load READS numbers each, meet again. BRANCH: two ways to store, one is never gone.
template <int LOAD, int BRANCH, int READS> __device__ __forceinline__ void quarter(float* buf, Cycles* out, int iters, int p) {
    __shared__ float space[4096];
    float b = buf[0], sum = 0;
    int t = threadIdx.x, lane = t & 31;
    float* mine = space + t / 32 * 32 + lane / 4 * 4;
    const float* from = buf + 32 * (t / 32) + lane / 4 * 4;
    __syncthreads();
    BEGIN;
#pragma unroll 1
    for (int i = 0; i < iters; i++) {
#pragma unroll
        for (int two = 0; two < 2; two++) {
            if (lane % p == 0) {
                if (!BRANCH || (i >= 0 && two * 64 + i * 4 + 4 <= 100000)) {
                    float4 v = make_float4(b, b, b, b);
                    if (LOAD) asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(from + two * 64 + (i & 7) * 2048));
                    volatile float* at = mine + two * 1024;
                    at[0] = v.x; at[1] = v.y; at[2] = v.z; at[3] = v.w;
                } else {
                    for (int j = 0; j < 4; j++) ((volatile float*)mine)[two * 1024 + j] = (i + j < 200000) ? buf[i + j] : 0.0f;
                }
            }
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < READS; j++) { float v; asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"((unsigned)__cvta_generic_to_shared(space + j * 32 + lane))); sum += v; }
        __syncthreads();
    }
    FINISH;
    if (sum == 12345.0f) buf[0] = sum;
}
#define QUARTER(LOAD, BRANCH, READS) extern "C" __global__ void quarter_##LOAD##BRANCH##_##READS(float* buf, Cycles* out, int iters, int p) { \
    quarter<LOAD, BRANCH, READS>(buf, out, iters, p); }
QUARTER(0, 0, 0) QUARTER(0, 1, 0) QUARTER(1, 0, 0) QUARTER(1, 1, 0) QUARTER(0, 0, 32) QUARTER(0, 1, 32) QUARTER(1, 0, 32) QUARTER(1, 1, 32)
