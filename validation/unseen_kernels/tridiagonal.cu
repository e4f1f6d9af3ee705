// Systems with three diagonals (1, 4 + b, 1), a thread a system, unknowns of neighbours side by side.

extern "C" __global__ void tridiagonal(const float* __restrict__ b, const float* __restrict__ right,
                                       float* __restrict__ upper, float* __restrict__ x, int systems, int length)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    float u = 0, y = 0;
    for (int i = 0; i < length; i++) {
        const size_t at = (size_t)i * systems + s;
        const float scale = 1 / (4 + b[at] - u);
        y = (right[at] - y) * scale;
        u = scale;
        upper[at] = u;
        x[at] = y;
    }
    for (int i = length - 2; i >= 0; i--) {
        const size_t at = (size_t)i * systems + s;
        y = x[at] - upper[at] * y;
        x[at] = y;
    }
}
