// Copies every stride-th element into a dense array.
// Shows: how the sectors of one load grow with the stride, up to one for every lane.

extern "C" __global__ void strided_copy(const float* in, float* out, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i * stride];
}
