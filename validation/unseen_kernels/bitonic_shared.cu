// Sorts 2048 keys with their values in shared memory, a bitonic network of 1024 threads.

__device__ void exchange(unsigned& a, unsigned& va, unsigned& b, unsigned& vb, bool up)
{
    if ((a > b) == up) {
        unsigned k = a; a = b; b = k;
        unsigned v = va; va = vb; vb = v;
    }
}

__global__ void bitonic_shared(const unsigned* keys, unsigned* sorted, unsigned* places)
{
    __shared__ unsigned key[2048], place[2048];
    const size_t base = (size_t)blockIdx.x * 2048;
    const unsigned t = threadIdx.x;
    for (unsigned i = t; i < 2048; i += 1024) {
        key[i] = keys[base + i] * 2654435761u ^ i * 40503u;
        place[i] = i;
    }
    for (unsigned size = 2; size <= 2048; size *= 2) {
        const bool up = (t & (size / 2)) == 0;
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const unsigned i = 2 * t - (t & (stride - 1));
            exchange(key[i], place[i], key[i + stride], place[i + stride], up);
        }
    }
    __syncthreads();
    for (unsigned i = t; i < 2048; i += 1024) {
        sorted[base + i] = key[i];
        places[base + i] = place[i];
    }
}
