// Counts keys in global memory: lanes of a warp with the same key find each other, one of them adds.

extern "C" __global__ void histogram_matched(const unsigned char* keys, unsigned* counts, int n)
{
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const unsigned active = __activemask();
        const unsigned key = keys[i];
        const unsigned same = __match_any_sync(active, key);
        if ((threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(&counts[key], __popc(same));
    }
}
