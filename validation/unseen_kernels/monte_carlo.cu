// Counts points of a hashed sequence that fall into a circle: integer work almost alone.

__device__ unsigned mix(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ x >> 16;
}

extern "C" __global__ void monte_carlo(unsigned long long* inside, unsigned seed, int each)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned hits = 0;
    for (int i = 0; i < each; i++) {
        const unsigned a = mix(thread * each + i + seed), b = mix(a ^ 0x9e3779b9u);
        const unsigned long long x = a >> 1, y = b >> 1;
        hits += x * x + y * y < 1ull << 62;
    }
    hits = __reduce_add_sync(~0u, hits);
    if (threadIdx.x % 32 == 0) atomicAdd(inside, (unsigned long long)hits);
}
