// C = A * B with float16 inputs and float32 sums on the tensor cores. 128 threads compute a 64x64
// tile, 32 columns of A at a time: cp.async past L1 into padded tiles, ldmatrix, mma.m16n8k16.
// Shows: matrix loads and asynchronous copies without bank conflicts.

#include <cuda_fp16.h>

constexpr int TILE = 64;
constexpr int STEP = 32;
constexpr int PAD = 8;
constexpr int THREADS = 128;

__device__ unsigned shared_address(const void* pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void copy16(void* target, const void* source)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"(shared_address(target)), "l"(source));
}

__device__ void load4(unsigned (&r)[4], const void* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}

__device__ void load4_transposed(unsigned (&r)[4], const void* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}

__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void hgemm_tensor(const __half* a, const __half* b, float* c,
                                        int m, int n, int k)
{
    __shared__ __align__(16) __half a_tile[TILE][STEP + PAD];
    __shared__ __align__(16) __half b_tile[STEP][TILE + PAD];

    int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    int row0 = TILE * blockIdx.y, column0 = TILE * blockIdx.x;
    int row = 32 * (warp / 2), column = 32 * (warp % 2);
    float sums[2][4][4] = {};

    for (int k0 = 0; k0 < k; k0 += STEP) {
        for (int chunk = thread; chunk < TILE * STEP / 8; chunk += THREADS) {
            int r = chunk / 4, q = 8 * (chunk % 4);
            copy16(&a_tile[r][q], &a[(row0 + r) * k + k0 + q]);
        }
        for (int chunk = thread; chunk < TILE * STEP / 8; chunk += THREADS) {
            int r = chunk / 8, q = 8 * (chunk % 8);
            copy16(&b_tile[r][q], &b[(k0 + r) * n + column0 + q]);
        }
        asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
        __syncthreads();

        for (int kk = 0; kk < STEP; kk += 16) {
            unsigned fa[2][4], fb[2][4];
            for (int i = 0; i < 2; i++)
                load4(fa[i], &a_tile[row + 16 * i + lane % 16][kk + 8 * (lane / 16)]);
            for (int j = 0; j < 2; j++)
                load4_transposed(fb[j], &b_tile[kk + lane % 16][column + 16 * j + 8 * (lane / 16)]);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++)
                    multiply(sums[i][j], fa[i], fb[j / 2][2 * (j % 2)], fb[j / 2][2 * (j % 2) + 1]);
        }
        __syncthreads();
    }

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e++) {
                int r = row0 + row + 16 * i + lane / 4 + 8 * (e / 2);
                int q = column0 + column + 8 * j + 2 * (lane % 4) + e % 2;
                c[r * n + q] = sums[i][j][e];
            }
}
