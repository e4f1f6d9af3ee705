// A seven-point stencil: 32 x 8 threads walk through the planes with the column in registers.

extern "C" __global__ void stencil_3d(const float* in, float* out, int nx, int ny, int nz)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1) return;
    size_t plane = (size_t)nx * ny, at = (size_t)y * nx + x;
    float below = in[at], here = in[at + plane];
    for (int z = 1; z < nz - 1; z++) {
        size_t p = at + z * plane;
        float above = in[p + plane];
        out[p] = 0.4f * here + 0.1f * (below + above + in[p - 1] + in[p + 1] + in[p - nx] + in[p + nx]);
        below = here;
        here = above;
    }
}
