// Column pass of a separable blur of radius 8: blocks of 16 x 8 threads hold 16 columns of 80 rows in
// shared memory, a thread makes eight outputs, taps lie in constant memory.

constexpr int R = 8, STEPS = 8, TX = 16, TY = 8;
__constant__ float taps[2 * R + 1] = {.01f, .02f, .03f, .05f, .06f, .07f, .08f, .10f, .16f,
                                      .10f, .08f, .07f, .06f, .05f, .03f, .02f, .01f};

extern "C" __global__ void blur_columns(const float* in, float* out, int width, int height)
{
    __shared__ float tile[TX][(STEPS + 2) * TY + 1];
    const int x = blockIdx.x * TX + threadIdx.x, y0 = (blockIdx.y * STEPS - 1) * TY + threadIdx.y;
    in += (size_t)y0 * width + x;
    out += (size_t)y0 * width + x;
#pragma unroll
    for (int i = 0; i < STEPS + 2; i++) {
        const int y = y0 + i * TY;
        tile[threadIdx.x][threadIdx.y + i * TY] = y >= 0 && y < height ? in[i * TY * width] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 1; i <= STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -R; j <= R; j++) sum += taps[R - j] * tile[threadIdx.x][threadIdx.y + i * TY + j];
        if (y0 + i * TY < height) out[i * TY * width] = sum;
    }
}
