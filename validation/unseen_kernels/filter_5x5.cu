// A 5x5 filter of an image of bytes with weights in constant memory; 16-bit sums, four pixels a thread.

__constant__ short weights[5][5] = {{1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}};

extern "C" __global__ void filter_5x5(const unsigned char* in, unsigned char* out, int width, int height)
{
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int sum[4] = {};
    for (int dy = -2; dy <= 2; dy++) {
        const int row = min(max(y + dy, 0), height - 1);
        int pixel[8];
#pragma unroll
        for (int i = 0; i < 8; i++) pixel[i] = in[(size_t)row * width + min(max(x + i - 2, 0), width - 1)];
#pragma unroll
        for (int dx = 0; dx < 5; dx++)
#pragma unroll
            for (int i = 0; i < 4; i++) sum[i] += weights[dy + 2][dx] * pixel[i + dx];
    }
    uchar4 result = {(unsigned char)(sum[0] >> 8), (unsigned char)(sum[1] >> 8), (unsigned char)(sum[2] >> 8),
                     (unsigned char)(sum[3] >> 8)};
    *reinterpret_cast<uchar4*>(out + (size_t)y * width + x) = result;
}
