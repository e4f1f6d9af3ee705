// Fourier transforms of 1024 complex numbers, one a block of 256 threads: five radix-4 passes
// (Stockham), the numbers go round through shared memory between them.

__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ float2 plus(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 minus(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }

extern "C" __global__ void fft_shared(const float2* in, float2* out)
{
    __shared__ float2 data[1024];
    const int t = threadIdx.x;
    const float2* from = in + (size_t)blockIdx.x * 1024;
    float2 v[4];
    for (int i = 0; i < 4; i++) v[i] = from[t + i * 256];
#pragma unroll
    for (int span = 1; span < 1024; span *= 4) {
        const int place = t & (span - 1);
        const float angle = -2.0f * place / (4 * span);
#pragma unroll
        for (int i = 1; i < 4; i++) {
            float s, c;
            sincospif(angle * i, &s, &c);
            v[i] = times(v[i], make_float2(c, s));
        }
        float2 a = plus(v[0], v[2]), b = minus(v[0], v[2]);
        float2 c = plus(v[1], v[3]), d = minus(v[1], v[3]);
        const float2 turned = make_float2(d.y, -d.x);
        const int to = ((t - place) << 2) + place;
        data[to] = plus(a, c);
        data[to + span] = plus(b, turned);
        data[to + 2 * span] = minus(a, c);
        data[to + 3 * span] = minus(b, turned);
        __syncthreads();
        for (int i = 0; i < 4; i++) v[i] = data[t + i * 256];
        __syncthreads();
    }
    float2* to = out + (size_t)blockIdx.x * 1024;
    for (int i = 0; i < 4; i++) to[t + i * 256] = v[i];
}
