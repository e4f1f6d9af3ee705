// Keeps what is larger than a limit: places by ballot in a warp, by shared memory in a block, one atomic a block.

extern "C" __global__ void compact(const float* __restrict__ in, float* __restrict__ out, int* __restrict__ kept,
                                   int n, float limit)
{
    __shared__ int before[33];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float value = i < n ? in[i] : limit;
    const bool keep = value > limit;
    const unsigned votes = __ballot_sync(~0u, keep);
    if (lane == 0) before[warp] = __popc(votes);
    __syncthreads();
    if (warp == 0) {
        const int count = lane < blockDim.x / 32 ? before[lane] : 0;
        int sum = count;
        for (int step = 1; step < 32; step *= 2) {
            const int other = __shfl_up_sync(~0u, sum, step);
            if (lane >= step) sum += other;
        }
        int base = 0;
        if (lane == 31) base = atomicAdd(kept, sum);
        base = __shfl_sync(~0u, base, 31);
        before[lane] = base + sum - count;
    }
    __syncthreads();
    const int place = before[warp] + __popc(votes & ((1u << lane) - 1));
    if (keep && (unsigned)place < n) out[place] = value;
}
