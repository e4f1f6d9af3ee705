// out[i] = table[f(i)] where f scatters all over the table.

extern "C" __global__ void gather(const float* table, float* out, unsigned mask)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = i * 2654435761u;
    at ^= at >> 15;
    at *= 2246822519u;
    out[i] = table[(at >> 4) & mask];
}
