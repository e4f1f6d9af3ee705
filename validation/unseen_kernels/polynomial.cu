// A polynomial of degree 15 at each point, coefficients through the read-only path, points four apart
// per thread; 1024 threads a block.

template <int DEGREE, int POINTS>
__device__ void horner(const float* __restrict__ coefficients, float (&x)[POINTS], float (&y)[POINTS])
{
#pragma unroll
    for (int p = 0; p < POINTS; p++) y[p] = __ldg(&coefficients[DEGREE]);
#pragma unroll 5
    for (int d = DEGREE - 1; d >= 0; d--) {
        const float c = __ldg(&coefficients[d]);
#pragma unroll
        for (int p = 0; p < POINTS; p++) y[p] = y[p] * x[p] + c;
    }
}

extern "C" __global__ void __launch_bounds__(1024)
polynomial(const float* __restrict__ in, const float* __restrict__ coefficients, float* __restrict__ out, int n)
{
    const int first = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    float x[4], y[4];
    for (int p = 0; p < 4; p++) x[p] = first + p * 1024 < n ? __ldg(&in[first + p * 1024]) : 0.0f;
    horner<15>(coefficients, x, y);
    for (int p = 0; p < 4; p++)
        if (first + p * 1024 < n) out[first + p * 1024] = y[p];
}
