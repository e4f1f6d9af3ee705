// Mean of the embeddings of each sentence's words: rows of 128 bytes, eight lanes a row, four rows at a
// time a warp.

extern "C" __global__ void embedding(const float4* __restrict__ table, const unsigned* __restrict__ words, float4* out,
                                     int sentences, int length, unsigned mask)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= sentences) return;
    const int part = lane % 8;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int i = lane / 8; i < length; i += 4) {
        const unsigned at = warp * length + i;
        const unsigned row = (words[at] * 2246822519u + at * 2654435761u) >> 7 & mask;
        const float4 v = table[(size_t)row * 8 + part];
        sum.x += v.x; sum.y += v.y; sum.z += v.z; sum.w += v.w;
    }
    for (int d = 8; d < 32; d *= 2) {
        sum.x += __shfl_xor_sync(~0u, sum.x, d);
        sum.y += __shfl_xor_sync(~0u, sum.y, d);
        sum.z += __shfl_xor_sync(~0u, sum.z, d);
        sum.w += __shfl_xor_sync(~0u, sum.w, d);
    }
    const float scale = 1.0f / length;
    if (lane < 8) out[(size_t)warp * 8 + part] = make_float4(sum.x * scale, sum.y * scale, sum.z * scale, sum.w * scale);
}
