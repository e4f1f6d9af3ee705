// softmax(Q K^T / 8) V by rows, without ever holding a row of scores: one query row a thread, keys and
// values come through shared memory 32 at a time, and the running maximum rescales what was summed.

#define D 64
#define TILE 32

extern "C" __global__ void __launch_bounds__(128)
flash_attention(const float4* __restrict__ q, const float4* __restrict__ k, const float4* __restrict__ v,
                float4* __restrict__ out, int n)
{
    __shared__ float4 ks[TILE][D / 4];
    __shared__ float4 vs[TILE][D / 4];
    const size_t head = (size_t)blockIdx.y * n * (D / 4);
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float4 query[D / 4], sum[D / 4];
    for (int i = 0; i < D / 4; i++) {
        query[i] = q[head + (size_t)row * (D / 4) + i];
        sum[i] = make_float4(0, 0, 0, 0);
    }
    float largest = -INFINITY, total = 0;
    for (int start = 0; start < n; start += TILE) {
        for (int i = threadIdx.x; i < TILE * D / 4; i += blockDim.x) {
            ks[i / (D / 4)][i % (D / 4)] = k[head + start * (D / 4) + i];
            vs[i / (D / 4)][i % (D / 4)] = v[head + start * (D / 4) + i];
        }
        __syncthreads();
        float score[TILE], top = largest;
#pragma unroll
        for (int j = 0; j < TILE; j++) {
            float dot = 0;
#pragma unroll
            for (int i = 0; i < D / 4; i++) {
                float4 key = ks[j][i];
                dot += query[i].x * key.x + query[i].y * key.y + query[i].z * key.z + query[i].w * key.w;
            }
            score[j] = dot * 0.125f;
            top = fmaxf(top, score[j]);
        }
        const float scale = __expf(largest - top);
        total *= scale;
#pragma unroll
        for (int i = 0; i < D / 4; i++) {
            sum[i].x *= scale; sum[i].y *= scale; sum[i].z *= scale; sum[i].w *= scale;
        }
#pragma unroll
        for (int j = 0; j < TILE; j++) {
            const float weight = __expf(score[j] - top);
            total += weight;
#pragma unroll
            for (int i = 0; i < D / 4; i++) {
                float4 value = vs[j][i];
                sum[i].x += weight * value.x; sum[i].y += weight * value.y;
                sum[i].z += weight * value.z; sum[i].w += weight * value.w;
            }
        }
        largest = top;
        __syncthreads();
    }
    const float inverse = 1.0f / total;
    for (int i = 0; i < D / 4; i++) {
        float4 s = sum[i];
        out[head + (size_t)row * (D / 4) + i] = make_float4(s.x * inverse, s.y * inverse, s.z * inverse, s.w * inverse);
    }
}
