// Colours of an image through a table of 33 x 33 x 33, with linear interpolation in all three.

constexpr int SIDE = 33;

__device__ float4 mix(float4 a, float4 b, float f)
{
    return {a.x + f * (b.x - a.x), a.y + f * (b.y - a.y), a.z + f * (b.z - a.z), 1};
}

extern "C" __global__ void color_lut(const uchar4* __restrict__ in, const float4* __restrict__ table,
                                     uchar4* __restrict__ out, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const uchar4 pixel = in[i];
        const float r = pixel.x * (32 / 255.0f), g = pixel.y * (32 / 255.0f), b = pixel.z * (32 / 255.0f);
        const int ri = min((int)r, 31), gi = min((int)g, 31), bi = min((int)b, 31);
        const float4* at = table + (bi * SIDE + gi) * SIDE + ri;
        float4 corner[4];
        for (int j = 0; j < 4; j++) {
            const float4* edge = at + (j & 1) * SIDE + (j >> 1) * SIDE * SIDE;
            corner[j] = mix(edge[0], edge[1], r - ri);
        }
        const float4 low = mix(corner[0], corner[1], g - gi), high = mix(corner[2], corner[3], g - gi);
        const float4 colour = mix(low, high, b - bi);
        out[i] = uchar4{(unsigned char)(int)(fabsf(colour.x) * 255), (unsigned char)(int)(fabsf(colour.y) * 255),
                        (unsigned char)(int)(fabsf(colour.z) * 255), pixel.w};
    }
}
