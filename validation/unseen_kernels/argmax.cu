// Place of the largest number: each block one candidate, joined by an atomic maximum of 64 bits. 384
// threads a block.

extern "C" __global__ void argmax(const float* values, unsigned long long* best, int n)
{
    __shared__ unsigned long long part[12];
    unsigned long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int bits = __float_as_int(values[i]);
        const unsigned order = bits < 0 ? ~bits : bits | 0x80000000u;
        const unsigned long long key = (unsigned long long)order << 32 | (unsigned)~i;
        mine = key > mine ? key : mine;
    }
    for (int d = 16; d > 0; d >>= 1) {
        const unsigned long long other = __shfl_down_sync(0xffffffffu, mine, d);
        mine = max(mine, other);
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = threadIdx.x < 12 ? part[threadIdx.x] : 0;
        for (int d = 8; d > 0; d >>= 1) mine = max(mine, __shfl_down_sync(0xffffffffu, mine, d));
        if (threadIdx.x == 0) atomicMax(best, mine);
    }
}
