// A thread sums a column of a band of rows; bands meet in atomics.
extern "C" __global__ void column_sums(const float* in, float* out, int rows, int columns) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = blockIdx.y * 64, last = min(first + 64, rows);
    if (column >= columns) return;
    float sum = 0.0f;
    for (int row = first; row < last; ++row) sum += in[row * columns + column];
    atomicAdd(&out[column], sum);
}
