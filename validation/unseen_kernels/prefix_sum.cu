// Sums of all before, 4096 to a block: 16 bytes a thread, shuffles within warps, one warp over the warps.

extern "C" __global__ void prefix_sum(const int* in, int* out, int* totals)
{
    __shared__ int sums[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int4 v = reinterpret_cast<const int4*>(in)[blockIdx.x * 1024 + t];
    v.y += v.x; v.z += v.y; v.w += v.z;
    int s = v.w;
    for (int d = 1; d < 32; d <<= 1) {
        int left = __shfl_up_sync(~0u, s, d);
        if (lane >= d) s += left;
    }
    if (lane == 31) sums[warp] = s;
    __syncthreads();
    if (warp == 0) {
        int w = sums[lane];
        for (int d = 1; d < 32; d <<= 1) {
            int left = __shfl_up_sync(~0u, w, d);
            if (lane >= d) w += left;
        }
        sums[lane] = w;
    }
    __syncthreads();
    int before = s - v.w + (warp ? sums[warp - 1] : 0);
    reinterpret_cast<int4*>(out)[blockIdx.x * 1024 + t] =
        make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
    if (t == 1023) totals[blockIdx.x] = before + v.w;
}
