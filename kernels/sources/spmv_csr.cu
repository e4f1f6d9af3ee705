// y = M x for a sparse matrix in compressed rows; one warp a row, eight rows a block.
// Shows: values and column numbers stream in coalesced, x is gathered: up to 32 sectors a request.

constexpr int WARP = 32;
constexpr unsigned FULL = 0xffffffffu;

extern "C" __global__ void spmv_csr(const int* row_start, const int* column, const float* value,
                                    const float* x, float* y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    int lane = threadIdx.x % WARP;
    if (row >= rows)
        return;

    float sum = 0.0f;
    int end = row_start[row + 1];
    for (int i = row_start[row] + lane; i < end; i += WARP)
        sum += value[i] * x[column[i]];

    for (int offset = WARP / 2; offset > 0; offset /= 2)
        sum += __shfl_down_sync(FULL, sum, offset);
    if (lane == 0)
        y[row] = sum;
}
