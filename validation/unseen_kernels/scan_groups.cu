// Running sums of rows of 2048 with cooperative groups: a tile of 32 scans, the warps' sums are scanned
// by the first tile.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void scan_groups(const int4* in, int4* out, int* totals)
{
    __shared__ int sums[16];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    const size_t at = (size_t)blockIdx.x * 512 + block.thread_rank();
    int4 v = in[at];
    v.y += v.x; v.z += v.y; v.w += v.z;
    const int before = cg::exclusive_scan(tile, v.w, cg::plus<int>());
    if (tile.thread_rank() == 31) sums[tile.meta_group_rank()] = before + v.w;
    block.sync();
    if (tile.meta_group_rank() == 0) {
        const int own = tile.thread_rank() < 16 ? sums[tile.thread_rank()] : 0;
        const int all = cg::reduce(tile, own, cg::plus<int>());
        const int base = cg::exclusive_scan(tile, own);
        if (tile.thread_rank() < 16) sums[tile.thread_rank()] = base;
        if (tile.thread_rank() == 0) totals[blockIdx.x] = all;
    }
    block.sync();
    const int base = before + sums[tile.meta_group_rank()];
    out[at] = make_int4(v.x + base, v.y + base, v.z + base, v.w + base);
}
