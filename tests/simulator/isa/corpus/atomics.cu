// Atomics on shared, global and generic addresses.
extern "C" __global__ void atomics(int* a, float* f, double* d, unsigned long long* q)
{
    __shared__ int s[256];
    __shared__ float sf[32];
    __shared__ unsigned long long sq[32];
    int i = threadIdx.x;
    s[i] = 0;
    sf[i % 32] = 0;
    sq[i % 32] = i;
    __syncthreads();
    atomicAdd(&s[i % 7], 1);
    a[i + 1] = atomicAdd(&s[a[i]], a[2]);
    atomicMax(&s[3], i);
    atomicAdd(&sf[i % 5], f[i]);
    a[i + 2] = atomicCAS(&s[i % 3], i, 4);
    q[2] = atomicCAS(&sq[1], 2ull, q[1]) + atomicExch(&sq[2], q[7]);
    atomicAdd(&sq[i % 3], 2ull);
    __syncthreads();
    atomicAdd(a + 3, 1);
    f[i] = atomicAdd(f + 1, f[2]);
    atomicAdd(d, d[i]);
    atomicMin(q + 1, q[i]);
    q[3] = atomicCAS(q + 4, q[5], q[6]);
    atomicExch(a + 5, i);
    int* either = i & 1 ? a : s;
    a[12] = *either + atomicAdd(either + i, 2);
    *either = 7;
    f[i] += sf[i % 32];
}
