// Matrix of 4-bit weights times a vector: a block of four warps makes four outputs, eight weights a
// word, a scale for each 128 weights.

extern "C" __global__ void __launch_bounds__(128)
matvec_int4(const uint4* __restrict__ weights, const float* __restrict__ scales, const float4* __restrict__ x,
            float* __restrict__ result, int outputs, int inputs)
{
    const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= outputs) return;
    float sum = 0.0f;
    for (int at = lane * 32; at < inputs; at += 1024) {
        const uint4 packed = weights[((size_t)row * inputs + at) / 32];
        const unsigned words[4] = {packed.x, packed.y, packed.z, packed.w};
        float part = 0.0f;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float4 u = x[at / 4 + 2 * i], v = x[at / 4 + 2 * i + 1];
            const unsigned q = words[i];
            part += ((int)(q & 15) - 8) * u.x + ((int)(q >> 4 & 15) - 8) * u.y +
                    ((int)(q >> 8 & 15) - 8) * u.z + ((int)(q >> 12 & 15) - 8) * u.w +
                    ((int)(q >> 16 & 15) - 8) * v.x + ((int)(q >> 20 & 15) - 8) * v.y +
                    ((int)(q >> 24 & 15) - 8) * v.z + ((int)(q >> 28) - 8) * v.w;
        }
        sum += part * scales[((size_t)row * inputs + at) / 128];
    }
    for (int far = 16; far; far /= 2) sum += __shfl_xor_sync(~0u, sum, far);
    if (lane == 0) result[row] = sum;
}
