// Many products of 32 x 32 matrices, one a block of 16 x 16 threads, 2 x 2 sums each.

extern "C" __global__ void gemm_batched(const float* a, const float* b, float* c)
{
    __shared__ float as[32][33];
    __shared__ float bs[32][32];
    size_t base = (size_t)blockIdx.x * 1024;
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    for (int i = t; i < 1024; i += 256) {
        as[i / 32][i % 32] = a[base + i];
        bs[i / 32][i % 32] = b[base + i];
    }
    __syncthreads();
    float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
#pragma unroll 8
    for (int k = 0; k < 32; k++) {
        float x0 = as[ty][k], x1 = as[ty + 16][k], y0 = bs[k][tx], y1 = bs[k][tx + 16];
        s00 += x0 * y0; s01 += x0 * y1; s10 += x1 * y0; s11 += x1 * y1;
    }
    c[base + ty * 32 + tx] = s00;
    c[base + ty * 32 + tx + 16] = s01;
    c[base + (ty + 16) * 32 + tx] = s10;
    c[base + (ty + 16) * 32 + tx + 16] = s11;
}
