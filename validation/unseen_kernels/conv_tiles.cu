// Convolution 3 x 3 of many channels (NCHW): a block makes 16 x 16 points of 8 output channels and
// goes through the input channels, eight at a time, with a tile and its halo in shared memory.

constexpr int SIDE = 16, IN = 8, OUT = 8;

extern "C" __global__ void __launch_bounds__(256)
conv_tiles(const float* __restrict__ image, const float* __restrict__ weight, const float* __restrict__ bias,
           float* __restrict__ result, int channels, int outputs, int height, int width)
{
    __shared__ float tile[IN][SIDE + 2][SIDE + 2];
    __shared__ float taps[OUT][IN][9];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * SIDE + tx;
    const int across = (width + SIDE - 1) / SIDE;
    const int x0 = blockIdx.x % across * SIDE, y0 = blockIdx.x / across * SIDE;
    const int first = blockIdx.y * OUT, batch = blockIdx.z;
    float sum[OUT];
#pragma unroll
    for (int o = 0; o < OUT; o++) sum[o] = bias[first + o];
    for (int c0 = 0; c0 < channels; c0 += IN) {
        for (int i = t; i < IN * (SIDE + 2) * (SIDE + 2); i += SIDE * SIDE) {
            const int c = i / ((SIDE + 2) * (SIDE + 2)), rest = i % ((SIDE + 2) * (SIDE + 2));
            const int y = y0 + rest / (SIDE + 2) - 1, x = x0 + rest % (SIDE + 2) - 1;
            const bool inside = y >= 0 && y < height && x >= 0 && x < width;
            tile[c][rest / (SIDE + 2)][rest % (SIDE + 2)] =
                inside ? image[(((size_t)batch * channels + c0 + c) * height + y) * width + x] : 0.0f;
        }
        for (int i = t; i < OUT * IN * 9; i += SIDE * SIDE)
            (&taps[0][0][0])[i] = weight[((size_t)(first + i / (IN * 9)) * channels + c0) * 9 + i % (IN * 9)];
        __syncthreads();
#pragma unroll 2
        for (int c = 0; c < IN; c++) {
            float near[9];
#pragma unroll
            for (int j = 0; j < 9; j++) near[j] = tile[c][ty + j / 3][tx + j % 3];
#pragma unroll
            for (int o = 0; o < OUT; o++)
#pragma unroll
                for (int j = 0; j < 9; j++) sum[o] += taps[o][c][j] * near[j];
        }
        __syncthreads();
    }
    const int x = x0 + tx, y = y0 + ty;
    if (x < width && y < height)
        for (int o = 0; o < OUT; o++)
            result[(((size_t)batch * outputs + first + o) * height + y) * width + x] = fmaxf(sum[o], 0.0f);
}
