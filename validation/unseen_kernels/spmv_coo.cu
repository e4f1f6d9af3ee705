// Sparse matrix times vector from triplets: a warp adds up runs of equal rows by shuffles, and the last
// lane of each run adds its sum to the vector atomically.

extern "C" __global__ void spmv_coo(const int* rows, const int* columns, const float* values, const float* x, float* y,
                                    int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    const int row = i < count ? rows[i] / 13 : -1;
    float sum = i < count ? values[i] * x[(columns[i] * 7919 + row) & 65535] : 0.0f;
    for (int d = 1; d < 32; d *= 2) {
        const float other = __shfl_up_sync(0xffffffff, sum, d);
        const int of = __shfl_up_sync(0xffffffff, row, d);
        if (lane >= d && of == row) sum += other;
    }
    const int next = __shfl_down_sync(0xffffffff, row, 1);
    if (row >= 0 && (lane == 31 || next != row)) atomicAdd(&y[row], sum);
}
