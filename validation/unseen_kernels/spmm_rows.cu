// A sparse matrix times a dense one of 64 columns: a warp a row, two columns a lane. The rows have
// between 0 and 31 entries.

extern "C" __global__ void __launch_bounds__(128)
spmm_rows(const unsigned char* __restrict__ length, const unsigned* __restrict__ column, const float* __restrict__ value,
          const float2* __restrict__ dense, float2* __restrict__ result, int rows, unsigned columns)
{
    const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const int count = length[row] & 31;
    const unsigned mine = (column[row * 32 + lane] + row * 40503u) * 2654435761u % columns;
    const float weight = value[row * 32 + lane];
    float2 sum = make_float2(0.0f, 0.0f);
    for (int e = 0; e < count; e++) {
        const unsigned from = __shfl_sync(~0u, mine, e);
        const float w = __shfl_sync(~0u, weight, e);
        const float2 v = dense[(size_t)from * 32 + lane];
        sum.x += w * v.x;
        sum.y += w * v.y;
    }
    result[(size_t)row * 32 + lane] = sum;
}
