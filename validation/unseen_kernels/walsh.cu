// Walsh-Hadamard transform of rows of 1024: four values a thread, lanes by shuffles, warps by shared memory.

extern "C" __global__ void __launch_bounds__(256) walsh(const float* __restrict__ in, float* __restrict__ out)
{
    __shared__ float line[1024];
    const int t = threadIdx.x, lane = t % 32;
    const float4 v = ((const float4*)(in + (size_t)blockIdx.x * 1024))[t];
    const float s = v.x + v.y, d = v.x - v.y, p = v.z + v.w, q = v.z - v.w;
    float x[4] = {s + p, d + q, s - p, d - q};
    for (int bit = 1; bit < 32; bit *= 2)
        for (int i = 0; i < 4; i++) {
            const float other = __shfl_xor_sync(~0u, x[i], bit);
            x[i] = lane & bit ? other - x[i] : x[i] + other;
        }
    ((float4*)line)[t] = float4{x[0], x[1], x[2], x[3]};
    __syncthreads();
    // Now a thread has values 128 apart, of all eight warps.
    if (t < 128) {
        float w[8];
        for (int i = 0; i < 8; i++) w[i] = line[t + 128 * i];
#pragma unroll
        for (int bit = 1; bit < 8; bit *= 2)
#pragma unroll
            for (int i = 0; i < 8; i++)
                if (!(i & bit)) {
                    const float low = w[i], high = w[i | bit];
                    w[i] = low + high;
                    w[i | bit] = low - high;
                }
        for (int i = 0; i < 8; i++) out[(size_t)blockIdx.x * 1024 + t + 128 * i] = w[i] * 0.03125f;
    }
}
