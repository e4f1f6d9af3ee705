// Gravity between all bodies: each thread one body, the others come by tiles of a block's size.

extern "C" __global__ void nbody_tiles(const float4* body, float4* acceleration, int n, float soft)
{
    extern __shared__ float4 tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 own = body[min(i, n - 1)];
    float ax = 0, ay = 0, az = 0;
    for (int start = 0; start < n; start += blockDim.x) {
        const int j = start + threadIdx.x;
        tile[threadIdx.x] = j < n ? body[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < blockDim.x; k++) {
            const float4 other = tile[k];
            const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + soft);
            const float pull = other.w * inverse * inverse * inverse;
            ax += pull * dx; ay += pull * dy; az += pull * dz;
        }
        __syncthreads();
    }
    if (i < n) acceleration[i] = make_float4(ax, ay, az, 0);
}
