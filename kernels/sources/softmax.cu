// Softmax of each row, one block of 256 threads a row: maximum, sum of exponentials, division.
// Shows: two tree reductions in shared memory between three coalesced passes over the row.

constexpr int BLOCK = 256;
constexpr float LOWEST = -3.402823466e+38f;

extern "C" __global__ void softmax(const float* in, float* out, int columns)
{
    __shared__ float partial[BLOCK];

    int tid = threadIdx.x;
    long long row = (long long)blockIdx.x * columns;

    float highest = LOWEST;
    for (int i = tid; i < columns; i += BLOCK)
        highest = fmaxf(highest, in[row + i]);
    partial[tid] = highest;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s)
            partial[tid] = fmaxf(partial[tid], partial[tid + s]);
        __syncthreads();
    }
    highest = partial[0];
    __syncthreads();

    float sum = 0.0f;
    for (int i = tid; i < columns; i += BLOCK) {
        float value = expf(in[row + i] - highest);
        out[row + i] = value;
        sum += value;
    }
    partial[tid] = sum;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s)
            partial[tid] += partial[tid + s];
        __syncthreads();
    }
    sum = partial[0];

    for (int i = tid; i < columns; i += BLOCK)
        out[row + i] /= sum;
}
