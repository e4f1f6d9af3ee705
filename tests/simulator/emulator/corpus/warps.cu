// Instructions across lanes: shuffles, votes, matches, reductions, cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
typedef unsigned int u32;

extern "C" __global__ void shuffles(const int* a, int* out, int n) {
    int t = threadIdx.x, v = a[t];
    out[t] = __shfl_sync(~0u, v, 5);
    out[n + t] = __shfl_up_sync(~0u, v, 3);
    out[2 * n + t] = __shfl_down_sync(~0u, v, 2, 16);
    out[3 * n + t] = __shfl_xor_sync(~0u, v, 9, 8);
    out[4 * n + t] = __shfl_sync(~0u, v, t * 7, 8);
    double d = __shfl_xor_sync(~0u, (double)v, 1);
    out[5 * n + t] = (int)d;
}

extern "C" __global__ void prefix_sum(const int* a, int* out) {
    __shared__ int sums[32];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, v = a[t];
    for (int o = 1; o < 32; o <<= 1) {
        int other = __shfl_up_sync(~0u, v, o);
        if (lane >= o) v += other;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = lane < blockDim.x / 32 ? sums[lane] : 0;
        for (int o = 1; o < 32; o <<= 1) {
            int other = __shfl_up_sync(~0u, s, o);
            if (lane >= o) s += other;
        }
        sums[lane] = s;
    }
    __syncthreads();
    out[t] = v + (warp ? sums[warp - 1] : 0);
}

extern "C" __global__ void votes(const int* a, u32* out, int n) {
    int t = threadIdx.x, v = a[t];
    out[t] = __ballot_sync(~0u, v > 0);
    out[n + t] = __all_sync(~0u, v != 12345) + 2 * __any_sync(~0u, v == a[t & ~31]);
    out[2 * n + t] = __match_any_sync(~0u, v & 3);
    int same;
    out[3 * n + t] = __match_all_sync(~0u, v >> 30, &same);
    out[4 * n + t] = same;
    out[5 * n + t] = __match_any_sync(~0u, (unsigned long long)(v & 7) << 32);
    out[6 * n + t] = __activemask();
    if (v & 1) out[7 * n + t] = __popc(__activemask());
    else out[7 * n + t] = __ballot_sync(__activemask(), v & 2);
}

extern "C" __global__ void reductions(const int* a, u32* out, int n) {
    int t = threadIdx.x, v = a[t];
    out[t] = __reduce_add_sync(~0u, v);
    out[n + t] = __reduce_min_sync(~0u, v);
    out[2 * n + t] = __reduce_max_sync(~0u, (u32)v);
    out[3 * n + t] = __reduce_and_sync(~0u, (u32)v);
    out[4 * n + t] = __reduce_or_sync(~0u, (u32)v);
    out[5 * n + t] = __reduce_xor_sync(~0u, (u32)v);
}

extern "C" __global__ void block_votes(const int* a, int* out, int n) {
    int t = threadIdx.x, v = a[t];
    out[t] = __syncthreads_count(v & 1);
    out[n + t] = __syncthreads_and(v != 7);
    out[2 * n + t] = __syncthreads_or(v == a[0]);
}

extern "C" __global__ void groups(const int* a, int* out, int n) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(block);
    int t = block.thread_rank(), v = a[t];
    out[t] = cg::reduce(tile, v, cg::plus<int>());
    out[n + t] = cg::inclusive_scan(warp, v);
    out[2 * n + t] = tile.shfl_down(v, 1);
    out[3 * n + t] = warp.any(v < 0) + 2 * tile.all(v > 0);
    if (v & 1) {
        auto active = cg::coalesced_threads();
        out[4 * n + t] = active.thread_rank() + 100 * active.size();
        out[5 * n + t] = active.shfl(v, 0);
    }
    block.sync();
    out[6 * n + t] = cg::reduce(warp, (float)(v & 15), cg::greater<float>());
}
