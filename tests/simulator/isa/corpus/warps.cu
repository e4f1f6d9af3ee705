// Shuffles, votes, matches, barriers, fences, cache hints, special registers.
extern "C" __global__ void warps(int* a, float* f)
{
    int i = threadIdx.x, p;
    int v = a[i];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    v += __shfl_xor_sync(~0u, v, 3) + __shfl_sync(~0u, v, a[1]) + __shfl_up_sync(~0u, v, 2, 8);
    a[i] = v + __ballot_sync(~0u, v > 3) + __any_sync(~0u, v > 4) + __popc(__activemask());
    a[i + 1] = __match_any_sync(~0u, v) + __match_all_sync(~0u, v, &p) + p;
    a[i + 2] = __reduce_add_sync(~0u, v) + __reduce_max_sync(~0u, (unsigned)v);
    a[i + 3] = __syncthreads_count(v) + __syncthreads_or(v);
    if (i & 1) __syncwarp(0xaaaaaaaa);
    __threadfence();
    f[i] = __ldg(f + i) + __ldcg(f + 1) + __ldcs(f + 2);
    __stcs(f + 3, 1.f);
    asm volatile("bar.sync 1, 64;");
    asm volatile("bar.arrive 2, 64;");
    unsigned r;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
    a[11] = r;
}
