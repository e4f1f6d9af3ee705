// Seven-point heat step that marches along z: planes below and above in registers, the present one
// in shared memory with its rim.

constexpr int X = 32, Y = 8;

extern "C" __global__ void __launch_bounds__(X * Y)
heat_3d(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz, float share)
{
    __shared__ float plane[Y + 2][X + 2];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * X + tx, y = blockIdx.y * Y + ty;
    const bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    const size_t step = (size_t)nx * ny;
    size_t at = (size_t)y * nx + x;
    float below = in[at], now = in[at + step];
    at += step;
    for (int z = 1; z < nz - 1; z++, at += step) {
        const float above = in[at + step];
        plane[ty + 1][tx + 1] = now;
        if (ty == 0 && y > 0) plane[0][tx + 1] = in[at - nx];
        if (ty == Y - 1 && y < ny - 1) plane[Y + 1][tx + 1] = in[at + nx];
        if (tx == 0 && x > 0) plane[ty + 1][0] = in[at - 1];
        if (tx == X - 1 && x < nx - 1) plane[ty + 1][X + 1] = in[at + 1];
        __syncthreads();
        if (inside)
            out[at] = now + share * (plane[ty][tx + 1] + plane[ty + 2][tx + 1] + plane[ty + 1][tx]
                                     + plane[ty + 1][tx + 2] + below + above - 6.0f * now);
        __syncthreads();
        below = now;
        now = above;
    }
}
