// Steps until a point of the plane escapes: loops of lanes that end one after the other.

extern "C" __global__ void mandelbrot(unsigned short* steps, int width, int height, int most)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    const float cx = -2.2f + 3.2f * px / width, cy = -1.2f + 2.4f * py / height;
    float x = 0, y = 0;
    int i = 0;
    while (i < most && x * x + y * y <= 4.0f) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        i++;
    }
    steps[(size_t)py * width + px] = i;
}
