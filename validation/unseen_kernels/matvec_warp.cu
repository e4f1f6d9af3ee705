// y = A x, a warp a row, four numbers a load; 96 threads a block.

extern "C" __global__ void matvec_warp(const float4* __restrict__ a, const float4* __restrict__ x, float* y, int rows,
                                       int quads)
{
    const int lane = threadIdx.x % 32;
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;
    const float4* line = a + (size_t)row * quads;
    float sum = 0;
#pragma unroll 4
    for (int i = lane; i < quads; i += 32) {
        const float4 m = line[i], v = x[i];
        sum = fmaf(m.x, v.x, fmaf(m.y, v.y, fmaf(m.z, v.z, fmaf(m.w, v.w, sum))));
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}
