// Assigns points of eight dimensions to the nearest of some centres held in shared memory and adds
// them to the sums of the block, which go to memory with atomics at its end.

extern __shared__ float memory[];

extern "C" __global__ void __launch_bounds__(256)
kmeans_assign(const float4* __restrict__ points, const float* __restrict__ centres, int* __restrict__ nearest,
              float* __restrict__ sums, int* __restrict__ counts, int n, int k)
{
    float* centre = memory;
    float* sum = centre + k * 8;
    int* count = reinterpret_cast<int*>(sum + k * 8);
    for (int i = threadIdx.x; i < k * 8; i += blockDim.x) { centre[i] = centres[i]; sum[i] = 0; }
    for (int i = threadIdx.x; i < k; i += blockDim.x) count[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float4 p = points[2 * i], q = points[2 * i + 1];
        float best = 1e30f;
        int which = 0;
        for (int j = 0; j < k; j++) {
            const float4 u = reinterpret_cast<float4*>(centre)[2 * j], v = reinterpret_cast<float4*>(centre)[2 * j + 1];
            const float a = p.x - u.x, b = p.y - u.y, c = p.z - u.z, d = p.w - u.w;
            const float e = q.x - v.x, f = q.y - v.y, g = q.z - v.z, h = q.w - v.w;
            const float far = a * a + b * b + c * c + d * d + e * e + f * f + g * g + h * h;
            if (far < best) { best = far; which = j; }
        }
        nearest[i] = which;
        float* to = sum + which * 8;
        atomicAdd(to, p.x); atomicAdd(to + 1, p.y); atomicAdd(to + 2, p.z); atomicAdd(to + 3, p.w);
        atomicAdd(to + 4, q.x); atomicAdd(to + 5, q.y); atomicAdd(to + 6, q.z); atomicAdd(to + 7, q.w);
        atomicAdd(count + which, 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < k * 8; i += blockDim.x) atomicAdd(sums + i, sum[i]);
    for (int i = threadIdx.x; i < k; i += blockDim.x) atomicAdd(counts + i, count[i]);
}
