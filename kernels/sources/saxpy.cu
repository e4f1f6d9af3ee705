// y = a*x + y, one element a thread.
// Shows: perfectly coalesced streaming, bound by DRAM.

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
