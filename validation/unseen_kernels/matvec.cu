// y = A * x, a warp a row, 16 bytes a lane.

extern "C" __global__ void matvec(const float* a, const float* x, float* y, int columns)
{
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float4* mine = reinterpret_cast<const float4*>(a + (size_t)row * columns);
    const float4* other = reinterpret_cast<const float4*>(x);
    float s = 0;
    for (int i = lane; i < columns / 4; i += 32) {
        float4 v = mine[i], w = other[i];
        s += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
    }
    for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) y[row] = s;
}
