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
