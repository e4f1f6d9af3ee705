// Rows of float32 to int8 with one scale a row: a warp a row, four values a lane and step.

extern "C" __global__ void quantize_rows(const float4* __restrict__ data, char4* __restrict__ result,
                                         float* __restrict__ scales, int rows, int quads)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float4* from = data + (size_t)row * quads;
    float most = 0.0f;
    for (int i = threadIdx.x; i < quads; i += 32) {
        const float4 v = from[i];
        most = fmaxf(most, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
#pragma unroll
    for (int far = 16; far; far /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, far));
    const float factor = most > 0.0f ? 127.0f / most : 0.0f;
    for (int i = threadIdx.x; i < quads; i += 32) {
        const float4 v = from[i];
        result[(size_t)row * quads + i] = make_char4(
            __float2int_rn(v.x * factor), __float2int_rn(v.y * factor),
            __float2int_rn(v.z * factor), __float2int_rn(v.w * factor));
    }
    if (threadIdx.x == 0) scales[row] = most / 127.0f;
}
