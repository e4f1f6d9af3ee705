// One step of an optimiser with two moments, four parameters a thread.

extern "C" __global__ void adam(float4* __restrict__ weight, const float4* __restrict__ gradient,
                                float4* __restrict__ first, float4* __restrict__ second, int quads,
                                float rate, float beta1, float beta2, float small)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    float4 w = weight[i], g = gradient[i], m = first[i], v = second[i];
    auto step = [&](float& w, float g, float& m, float& v) {
        m = beta1 * m + (1.0f - beta1) * g;
        v = beta2 * fabsf(v) + (1.0f - beta2) * g * g;
        w -= rate * m / (sqrtf(v) + small);
    };
    step(w.x, g.x, m.x, v.x); step(w.y, g.y, m.y, v.y); step(w.z, g.z, m.z, v.z); step(w.w, g.w, m.w, v.w);
    weight[i] = w; first[i] = m; second[i] = v;
}
