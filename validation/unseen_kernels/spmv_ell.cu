// Sparse matrix times vector in the ELLPACK format: columns of the format lie one after the other, a
// thread goes along a row. Columns are kept as distances from the diagonal.

template <typename Index>
__global__ void spmv_ell(const float* __restrict__ values, const Index* __restrict__ distance,
                         const Index* __restrict__ length, const float* __restrict__ x, float* y, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = 0; k < length[row]; k++) {
        const size_t at = (size_t)k * rows + row;
        const int column = row + 37 * (distance[at] - 50);
        if (column >= 0 && column < rows) sum += values[at] * __ldg(&x[column]);
    }
    y[row] = sum;
}

template __global__ void spmv_ell<signed char>(const float*, const signed char*, const signed char*, const float*,
                                               float*, int);
