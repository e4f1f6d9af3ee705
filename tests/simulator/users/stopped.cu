// Kernels that a replay must refuse with the name of what it lacks, or whose faults it must report.

extern "C" __global__ void prints(int* x) { printf("%d\n", x[threadIdx.x]); }
extern "C" __global__ void asserts(const int* x, int* out) {
    assert(x[threadIdx.x] < 20);
    out[threadIdx.x] = x[threadIdx.x];
}
extern "C" __global__ void allocates(int* x) {
    int* p = new int[4];
    p[0] = threadIdx.x;
    x[threadIdx.x] = p[0];
    delete[] p;
}
extern "C" __global__ void traps(int* x) {
    if (threadIdx.x == 5) __trap();
    x[threadIdx.x] = 1;
}
extern "C" __global__ void textures(cudaTextureObject_t t, float* x) { x[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0.5f); }
extern "C" __global__ void forever(volatile int* x) {
    while (x[0] == 0) {}
    x[1] = 1;
}
__device__ int deep(int n) {
    volatile int a[64];
    a[n % 64] = n;
    return n ? deep(n - 1) + a[n % 64] : 0;
}
extern "C" __global__ void recurses(int* x) { x[threadIdx.x] = deep(40 + x[threadIdx.x]); }
