// Block algorithms of cub, asynchronous copies, pipelines.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/functional>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

extern "C" __global__ void cub_reduce(const int* a, int* out) {
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ typename Reduce::TempStorage storage;
    int sum = Reduce(storage).Sum(a[threadIdx.x]);
    __syncthreads();
    int most = Reduce(storage).Reduce(a[threadIdx.x], cuda::maximum<>{});
    if (threadIdx.x == 0) { out[0] = sum; out[1] = most; }
}

extern "C" __global__ void cub_scan(const int* a, int* out) {
    using Scan = cub::BlockScan<int, 128>;
    __shared__ typename Scan::TempStorage storage;
    int v, total;
    Scan(storage).ExclusiveSum(a[threadIdx.x], v, total);
    out[threadIdx.x] = v;
    if (threadIdx.x == 0) out[128] = total;
}

extern "C" __global__ void cub_warp(const float* a, float* out) {
    using Warp = cub::WarpReduce<float>;
    __shared__ typename Warp::TempStorage storage[4];
    float s = Warp(storage[threadIdx.x / 32]).Sum(a[threadIdx.x]);
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = s;
}

extern "C" __global__ void cub_sort(const unsigned* a, unsigned* out) {
    using Sort = cub::BlockRadixSort<unsigned, 128, 2>;
    __shared__ typename Sort::TempStorage storage;
    unsigned keys[2] = {a[2 * threadIdx.x], a[2 * threadIdx.x + 1]};
    Sort(storage).Sort(keys);
    out[2 * threadIdx.x] = keys[0];
    out[2 * threadIdx.x + 1] = keys[1];
}

extern "C" __global__ void async_copy(const float4* a, float4* out) {
    __shared__ float4 tile[2][128];
    int t = threadIdx.x;
    for (int k = 0; k < 2; ++k) {
        __pipeline_memcpy_async(&tile[k][t], &a[128 * k + t], 16);
        __pipeline_commit();
    }
    for (int k = 0; k < 2; ++k) {
        __pipeline_wait_prior(1 - k);
        __syncthreads();
        float4 v = tile[k][127 - t];
        out[128 * k + t] = make_float4(v.w, v.z, v.y, v.x);
    }
}

extern "C" __global__ void small_copy(const int* a, int* out, int n) {
    __shared__ int tile[128];
    int t = threadIdx.x;
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(a + t),
                 "r"(t < n ? 4 : 0));
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    out[t] = tile[t ^ 1];
}

extern "C" __global__ void transpose(const float* a, float* out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = a[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float as[16][16], bs[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
