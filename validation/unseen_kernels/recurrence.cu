// A recurrence along time for each channel: a weighted mean that forgets, kept stable by its
// greatest exponent. One thread a channel; time is the outer dimension.

extern "C" __global__ void recurrence(const float* __restrict__ key, const float* __restrict__ value,
                                      const float* __restrict__ decay, const float* __restrict__ bonus,
                                      float* __restrict__ result, int steps, int channels)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    const size_t first = (size_t)blockIdx.y * steps * channels + c;
    const float u = bonus[c], w = -__expf(decay[c]);
    float top = 0.0f, bottom = 0.0f, most = -1e30f;
    for (int t = 0; t < steps; t++) {
        const float k = key[first + (size_t)t * channels], v = value[first + (size_t)t * channels];
        float high = fmaxf(most, u + k);
        float old = __expf(most - high), fresh = __expf(u + k - high);
        result[first + (size_t)t * channels] = __fdividef(old * top + fresh * v, old * bottom + fresh);
        high = fmaxf(most + w, k);
        old = __expf(most + w - high), fresh = __expf(k - high);
        top = old * top + fresh * v;
        bottom = old * bottom + fresh;
        most = high;
    }
}
