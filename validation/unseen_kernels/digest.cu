// Each thread compresses its own message of sixteen words in 64 rounds of rotations, sums and
// choices, as a hash of its chain, some times over.

__device__ __forceinline__ unsigned turn(unsigned x, int by) { return __funnelshift_r(x, x, by); }

extern "C" __global__ void __launch_bounds__(128)
digest(const unsigned* __restrict__ message, unsigned* __restrict__ result, int n, int times)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned w[16], s[8];
#pragma unroll
    for (int j = 0; j < 16; j++) w[j] = message[j * n + i];
#pragma unroll
    for (int j = 0; j < 8; j++) s[j] = 0x6a09e667u * (2 * j + 1);
    for (int round = 0; round < times; round++)
#pragma unroll
        for (int j = 0; j < 64; j++) {
            const unsigned e = s[(68 - j) % 8], f = s[(69 - j) % 8], g = s[(70 - j) % 8];
            const unsigned a = s[(64 - j) % 8], b = s[(65 - j) % 8], c = s[(66 - j) % 8];
            const unsigned t1 = s[(71 - j) % 8] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
                                ((e & f) ^ (~e & g)) + 0x428a2f98u * (j + 1) + w[j % 16];
            const unsigned t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            s[(67 - j) % 8] += t1;
            s[(71 - j) % 8] = t1 + t2;
            const unsigned u = w[(j + 1) % 16], v = w[(j + 14) % 16];
            w[j % 16] += (turn(u, 7) ^ turn(u, 18) ^ (u >> 3)) + w[(j + 9) % 16] + (turn(v, 17) ^ turn(v, 19) ^ (v >> 10));
        }
#pragma unroll
    for (int j = 0; j < 8; j++) result[j * n + i] = s[j];
}
