// Control flow: switches, loops that lanes leave at different times, calls, local arrays.
extern "C" __global__ void switches(const int* a, int* out) {
    int t = threadIdx.x, v = a[t], r = v * 3;
    switch (v & 15) {
        case 0: r += out[(t + 1) & 63]; break;
        case 1: r ^= 0x55; break;
        case 2: r = r / 3 - 5; break;
        case 3: r = __popc(r); break;
        case 4: r <<= 2; // falls through
        case 5: r -= 100; break;
        case 6: r = -r; break;
        case 7: r = r * r; break;
        case 8: r = r % 11; break;
        case 9: r |= 1 << (t & 31); break;
        case 10: r = __brev(r); break;
        case 12: r = __clz(r); break;
        default: r = 1;
    }
    out[64 + t] = r;
}

extern "C" __global__ void collatz(const int* a, int* out) {
    unsigned v = a[threadIdx.x] & 1023, steps = 0;
    while (v > 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        if (++steps == 60) break;
        if (v == 40) continue;
        if (v == 17) { steps += 1000; break; }
    }
    out[threadIdx.x] = steps;
}

__device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void recursion(int* out) {
    out[threadIdx.x] = ackermann(threadIdx.x & 1, threadIdx.x & 3);
}

__device__ __noinline__ float helper(float x, int k) { return k & 1 ? x * 0.5f : sqrtf(x) + k; }

extern "C" __global__ void calls(const float* a, float* out) {
    float x = a[threadIdx.x];
    for (int k = 0; k < 4; ++k) x = helper(x, k);
    if (threadIdx.x & 4) x = helper(x, threadIdx.x);
    out[threadIdx.x] = x;
}

extern "C" __global__ void local_array(const int* a, int* out, int n) {
    int kept[16];
    for (int k = 0; k < 16; ++k) kept[k] = a[(threadIdx.x + k) & 63];
    // insertion sort with data-dependent indices
    for (int k = 1; k < 16; ++k) {
        int v = kept[k], j = k - 1;
        while (j >= 0 && kept[j] > v) { kept[j + 1] = kept[j]; --j; }
        kept[j + 1] = v;
    }
    out[threadIdx.x] = kept[n & 15];
    out[64 + threadIdx.x] = kept[(threadIdx.x + n) & 15];
}

__constant__ int table[64] = {3, 1, 4, 1, 5, 9, 2, 6};
__constant__ unsigned char codes[16] = {7, 0, 255, 128, 1};
__device__ int counter = 5;

extern "C" __global__ void constants(const int* a, int* out) {
    int t = threadIdx.x;
    out[t] = table[a[t] & 7] + codes[a[t] & 15] + counter;
    __syncthreads();
    if (t == 0) counter += 1;
    __syncthreads();
    out[64 + t] = *(volatile int*)&counter;
}

extern "C" __global__ void bitonic_sort(int* data) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (int k = 2; k <= blockDim.x; k <<= 1)
        for (int j = k >> 1; j; j >>= 1) {
            int o = t ^ j;
            if (o > t) {
                bool up = (t & k) == 0;
                int x = s[t], y = s[o];
                if ((x > y) == up) { s[t] = y; s[o] = x; }
            }
            __syncthreads();
        }
    data[t] = s[t];
}

extern "C" __global__ void sieve(int* composite, int n) {
    for (int p = 2 + threadIdx.x; p * p < n; p += blockDim.x)
        for (int m = p * p; m < n; m += p) composite[m] = 1;
}

extern "C" __global__ void jump_table(const int* a, int* out) {
    int t = threadIdx.x, v = a[t], r;
    asm volatile(
        "{\n\t.reg .u32 k;\n\t.reg .s32 f;\n\tand.b32 k, %1, 7;\n\t"
        "ts: .branchtargets L0, L1, L2, L3, L4, L5, L6, L7;\n\t"
        "brx.idx k, ts;\n\t"
        "L0: mad.lo.s32 %0, %1, 2, %2;\n\tbra.uni DONE;\n\t"
        "L1: add.s32 %0, %1, -1000;\n\tbra.uni DONE;\n\t"
        "L2: mad.lo.s32 %0, %1, 4, %2;\n\tbra.uni DONE;\n\t"
        "L3: add.s32 %0, %1, -3000;\n\tbra.uni DONE;\n\t"
        "L4: mad.lo.s32 %0, %1, 6, %2;\n\tbra.uni DONE;\n\t"
        "L5: add.s32 %0, %1, -5000;\n\tbra.uni DONE;\n\t"
        "L6: mad.lo.s32 %0, %1, 8, %2;\n\tbra.uni DONE;\n\t"
        "L7: add.s32 %0, %1, -7000;\n\t"
        "DONE:\n\t}"
        : "=r"(r) : "r"(v), "r"(t));
    out[t] = r;
}
