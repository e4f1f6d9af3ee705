// Counts values 0..255: each block counts in shared memory, then adds its bins to global memory.
// Shows: shared atomics serialise over lanes that meet in a bank; global atomics happen once a bin.

constexpr int BINS = 256;

extern "C" __global__ void histogram_shared(const int* values, unsigned int* counts, int n)
{
    __shared__ unsigned int local[BINS];

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        local[bin] = 0;
    __syncthreads();

    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&local[values[i]], 1u);
    __syncthreads();

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        atomicAdd(&counts[bin], local[bin]);
}
