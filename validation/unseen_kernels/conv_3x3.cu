// A 3 x 3 convolution of eight images of one channel into four: 32 x 8 threads, tile with its rim in
// shared memory, weights in registers.

constexpr int W = 32, H = 8, OUT = 4;

extern "C" __global__ void conv_3x3(const float* in, const float* weights, float* out, int rows, int columns)
{
    __shared__ float tile[H + 2][W + 2];
    int x = blockIdx.x * W, y = blockIdx.y * H, t = threadIdx.y * W + threadIdx.x;
    const float* image = in + (size_t)blockIdx.z * rows * columns;
    for (int i = t; i < (H + 2) * (W + 2); i += W * H) {
        int r = y + i / (W + 2) - 1, c = x + i % (W + 2) - 1;
        tile[i / (W + 2)][i % (W + 2)] = r >= 0 && r < rows && c >= 0 && c < columns ? image[r * columns + c] : 0.0f;
    }
    float w[OUT][9];
    for (int o = 0; o < OUT; o++)
        for (int i = 0; i < 9; i++) w[o][i] = weights[9 * o + i];
    __syncthreads();
    float v[9];
    for (int i = 0; i < 9; i++) v[i] = tile[threadIdx.y + i / 3][threadIdx.x + i % 3];
    for (int o = 0; o < OUT; o++) {
        float s = 0;
        for (int i = 0; i < 9; i++) s += w[o][i] * v[i];
        out[((size_t)(blockIdx.z * OUT + o) * rows + y + threadIdx.y) * columns + x + threadIdx.x] = s;
    }
}
