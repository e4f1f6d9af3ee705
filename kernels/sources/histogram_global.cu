// Counts values 0..255 with one global atomic a value.
// Shows: atomics on global memory serialise at the L2 cache where lanes meet in a sector.

extern "C" __global__ void histogram_global(const int* values, unsigned int* counts, int n)
{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&counts[values[i]], 1u);
}
