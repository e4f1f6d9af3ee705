// A kernel that a replay must refuse by name; apart, as its header takes seconds to compile.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void cluster(int* x) {
    __shared__ int s;
    auto c = cg::this_cluster();
    s = c.block_rank();
    c.sync();
    x[threadIdx.x] = *c.map_shared_rank(&s, 1 - c.block_rank());
}
