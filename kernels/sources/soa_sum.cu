// Adds the four fields of each record of a structure of arrays.
// Shows: the same sums as aos_sum, with four coalesced loads of four sectors each.

extern "C" __global__ void soa_sum(const float* x, const float* y, const float* z, const float* w,
                                   float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = x[i] + y[i] + z[i] + w[i];
}
