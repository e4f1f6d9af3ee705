// A step of the lattice Boltzmann method in two dimensions, nine directions, structure of arrays:
// pulls nine values from neighbours (the domain closes on itself), relaxes them and stores nine.

extern "C" __global__ void __launch_bounds__(256)
lattice_d2q9(const float* __restrict__ from, float* __restrict__ to, int width, int height, float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    constexpr int EX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, EY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    constexpr float W[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
    const size_t plane = (size_t)width * height;
    float f[9], rho = 0, ux = 0, uy = 0;
#pragma unroll
    for (int i = 0; i < 9; i++) {
        int sx = x - EX[i], sy = y - EY[i];
        sx = sx < 0 ? width - 1 : sx == width ? 0 : sx;
        sy = sy < 0 ? height - 1 : sy == height ? 0 : sy;
        f[i] = 2.0f + from[i * plane + (size_t)sy * width + sx];
        rho += f[i]; ux += EX[i] * f[i]; uy += EY[i] * f[i];
    }
    ux /= rho; uy /= rho;
    const float square = 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int i = 0; i < 9; i++) {
        const float eu = 3.0f * (EX[i] * ux + EY[i] * uy);
        const float rest = W[i] * rho * (1.0f + eu + 0.5f * eu * eu - square);
        to[i * plane + (size_t)y * width + x] = f[i] + omega * (rest - f[i]);
    }
}
