// Largest of 3 x 3 with a stride of 2 and the place where it was found, a thread an output.

extern "C" __global__ void max_pool(const float* __restrict__ in, float* __restrict__ out, int* __restrict__ where,
                                    int count, int height, int width)
{
    const int oh = height / 2, ow = width / 2;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count * oh * ow) return;
    const int x = i % ow, y = i / ow % oh, plane = i / (ow * oh);
    const float* image = in + (size_t)plane * height * width;
    const int top = max(2 * y - 1, 0), bottom = min(2 * y + 2, height);
    const int left = max(2 * x - 1, 0), right = min(2 * x + 2, width);
    float best = -1e30f;
    int at = 0;
    for (int r = top; r < bottom; r++)
        for (int c = left; c < right; c++) {
            const float value = image[r * width + c];
            if (value > best) { best = value; at = r * width + c; }
        }
    out[i] = best;
    where[i] = at;
}
