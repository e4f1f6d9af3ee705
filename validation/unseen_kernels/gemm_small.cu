// Many products of 16 x 16 matrices: a warp each, eight warps a block, operands in shared memory, a lane
// holds eight sums of one column.

extern "C" __global__ void gemm_small(const float* a, const float* b, float* c, float alpha, float beta, int count)
{
    __shared__ float as[8][16][17], bs[8][16][17];
    const int warp = threadIdx.y, lane = threadIdx.x;
    const int which = blockIdx.x * 8 + warp;
    if (which >= count) return;
    const size_t base = (size_t)which * 256;
    for (int i = lane; i < 256; i += 32) {
        as[warp][i / 16][i % 16] = a[base + i];
        bs[warp][i / 16][i % 16] = b[base + i];
    }
    __syncwarp();
    const int column = lane % 16, first = lane / 16;
    float sum[8] = {};
    for (int k = 0; k < 16; k++) {
        const float right = bs[warp][k][column];
#pragma unroll
        for (int i = 0; i < 8; i++) sum[i] += as[warp][first + 2 * i][k] * right;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float* to = &c[base + (first + 2 * i) * 16 + column];
        *to = alpha * sum[i] + beta * *to;
    }
}
