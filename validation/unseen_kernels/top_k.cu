// The eight largest of every row of 2048: a block holds its row in registers and looks for the largest
// eight times, by shuffles and through shared memory.

extern "C" __global__ void top_k(const float* in, float* values, int* places)
{
    __shared__ float best[8];
    __shared__ int where[8];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const float* row = in + (size_t)blockIdx.x * 2048;
    float v[8];
    for (int i = 0; i < 8; i++) v[i] = row[i * 256 + t];
    for (int k = 0; k < 8; k++) {
        float largest = v[0];
        int at = t;
        for (int i = 1; i < 8; i++)
            if (v[i] > largest) { largest = v[i]; at = i * 256 + t; }
        for (int d = 16; d; d >>= 1) {
            float other = __shfl_xor_sync(~0u, largest, d);
            int place = __shfl_xor_sync(~0u, at, d);
            if (other > largest || (other == largest && place < at)) { largest = other; at = place; }
        }
        if (lane == 0) { best[warp] = largest; where[warp] = at; }
        __syncthreads();
        for (int w = 0; w < 8; w++)
            if (best[w] > largest || (best[w] == largest && where[w] < at)) { largest = best[w]; at = where[w]; }
        for (int i = 0; i < 8; i++)
            if (at == i * 256 + t) v[i] = -3.0e38f;
        if (t == 0) { values[blockIdx.x * 8 + k] = largest; places[blockIdx.x * 8 + k] = at; }
        __syncthreads();
    }
}
