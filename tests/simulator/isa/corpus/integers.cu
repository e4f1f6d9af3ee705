// Integer division, wide products, bit work, sub-word loads and stores.
extern "C" __global__ void integers(int* a, long long* b, int n, unsigned m, long long q)
{
    int i = threadIdx.x + blockIdx.y * blockDim.z;
    a[i] = a[i] / n + a[i] % m;
    b[i] = b[i] / q + (q << a[3]) + (q >> n) + (long long)n * m;
    a[i + 1] = __mulhi(a[i], n) + __umulhi(m, a[2]) + abs(a[3]) + min(a[4], n);
    a[i + 2] = __clz(n) + __brev(m) + __ffs(n) + __popc(m) + __popcll(q);
    a[i + 3] = __byte_perm(n, m, a[9]) + __funnelshift_l(n, m, a[8]) + __dp4a(n, (int)m, a[7]);
    b[i + 1] = clock64();
    reinterpret_cast<char*>(a)[i] = reinterpret_cast<signed char*>(b)[n];
    reinterpret_cast<short*>(a)[i + 7] = reinterpret_cast<unsigned short*>(b)[n]
                                         + reinterpret_cast<short*>(b)[m];
}
