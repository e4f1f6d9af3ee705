// Copies of an image by blocks half a line wide: what DRAM and L2 make of halves of lines that
// neighbouring blocks ask for. One word a thread, or eight words on their way at once.
//
// Measured with python -m validation measure --source halves.cu --entry rows --grid ... (the launches
// and their times are in h200_halves.json).

extern "C" __global__ void rows(const float* __restrict__ in, float* __restrict__ out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[(size_t)y * width + x] = in[(size_t)y * width + x];
}

extern "C" __global__ void rows8(const float* in, float* out, int width, int height)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 64 + threadIdx.y;
    float v[8];
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = in[(size_t)(y + 8 * i) * width + x];
#pragma unroll
    for (int i = 0; i < 8; i++) out[(size_t)(y + 8 * i) * width + x] = v[i];
}
