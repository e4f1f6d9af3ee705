// Rows that a block reads and writes several times while other blocks come and go: a pass for each
// byte of ``passes`` (R load the row, W store another, r load that), each behind a barrier.
extern "C" __global__ void rows(unsigned long long passes, const float* in, float* out, int columns)
{
    size_t row = (size_t)blockIdx.x * columns;
    float sum = 0;
    for (int n = 0; n < 8 && (passes >> 8 * n & 255); n++) {
        char what = passes >> 8 * n & 255;
        if (what == 'R')
            for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += in[row + i];
        if (what == 'W')
            for (int i = threadIdx.x; i < columns; i += blockDim.x) out[row + i] = sum;
        if (what == 'r')
            for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += out[row + i];
        __syncthreads();
        asm volatile("" ::: "memory");
    }
    if (sum == 1.25f) out[row] = sum;
}
