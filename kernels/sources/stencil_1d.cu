// A 7-point weighted stencil over a line, zero beyond its ends; 256 outputs a block.
// Shows: a shared tile with a halo of 3 on both sides turns seven global reads into about one.

constexpr int BLOCK = 256;
constexpr int RADIUS = 3;

extern "C" __global__ void stencil_1d(const float* in, const float* weights, float* out, int n)
{
    __shared__ float tile[BLOCK + 2 * RADIUS];

    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;
    tile[RADIUS + tid] = i < n ? in[i] : 0.0f;
    if (tid < RADIUS) {
        int left = i - RADIUS;
        int right = i + BLOCK;
        tile[tid] = left >= 0 ? in[left] : 0.0f;
        tile[RADIUS + BLOCK + tid] = right < n ? in[right] : 0.0f;
    }
    __syncthreads();

    if (i < n) {
        float sum = 0.0f;
        for (int j = 0; j <= 2 * RADIUS; ++j)
            sum += weights[j] * tile[tid + j];
        out[i] = sum;
    }
}
