// Adds the four fields of each record of an array of structures.
// Shows: each of the four loads strides over 16 bytes and touches 16 sectors, all of them again.

struct Record {
    float x, y, z, w;
};

extern "C" __global__ void aos_sum(const Record* records, float* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = records[i].x + records[i].y + records[i].z + records[i].w;
}
