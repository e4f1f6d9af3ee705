// In which order a sub-core's warps issue: one block, every warp runs the same loop and writes how
// many cycles it took. Warps that take turns end together; where some come first, they end first.

constexpr int ROUNDS = 192;

__device__ __forceinline__ long long clock_now() {
    long long now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}

__device__ __forceinline__ float load_shared(const float* at) {
    float value;
    const unsigned address = (unsigned)__cvta_generic_to_shared(at);
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
    return value;
}

// A round has LOADS loads without conflicts and, after them, CHAINS * LENGTH multiply-adds.
template <int LOADS, int CHAINS, int LENGTH>
__device__ __forceinline__ void run(float* buffer, long long* out) {
    __shared__ float table[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) table[i] = buffer[i];
    float sums[CHAINS], loaded[LOADS > 0 ? LOADS : 1] = {buffer[1]};
    for (int c = 0; c < CHAINS; c++) sums[c] = buffer[threadIdx.x + c];
    const float* at = table + threadIdx.x % 32;
    __syncthreads();
    const long long start = clock_now();
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int i = 0; i < LOADS; i++) loaded[i] = load_shared(at + (round + i) % 64 * 32);
#pragma unroll
        for (int n = 0; n < LENGTH; n++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                asm volatile("fma.rn.f32 %0, %0, %1, %1;"
                             : "+f"(sums[c])
                             : "f"(loaded[LOADS > 0 ? (n * CHAINS + c) % LOADS : 0]));
    }
    const long long end = clock_now();
    float total = 0;
    for (int c = 0; c < CHAINS; c++) total += sums[c];
    buffer[threadIdx.x] = total;
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = end - start;
}

extern "C" __global__ void policy_ffma(float* buffer, long long* out, int trips, int parameter) {
    run<0, 16, 2>(buffer, out);
}
extern "C" __global__ void policy_lds(float* buffer, long long* out, int trips, int parameter) {
    run<8, 8, 1>(buffer, out);
}
extern "C" __global__ void policy_mixed(float* buffer, long long* out, int trips, int parameter) {
    run<4, 16, 2>(buffer, out);
}
extern "C" __global__ void policy_tiled(float* buffer, long long* out, int trips, int parameter) {
    run<16, 1, 16>(buffer, out);
}
