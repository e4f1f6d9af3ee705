// Float32 and float64 functions: every thread works on its own elements.
#define ID (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void functions(const float* a, const float* b, float* out, int n) {
    int i = ID;
    if (i >= n) return;
    float x = a[i], y = b[i];
    out[i] = x / y;
    out[n + i] = sqrtf(y);
    out[2 * n + i] = rsqrtf(y);
    out[3 * n + i] = expf(x);
    out[4 * n + i] = logf(y);
    out[5 * n + i] = powf(y, x);
    out[6 * n + i] = sinf(x);
    out[7 * n + i] = cosf(x * 1000.0f);
    out[8 * n + i] = tanhf(x);
    out[9 * n + i] = atan2f(x, y);
    out[10 * n + i] = erff(x);
    out[11 * n + i] = 1.0f / y;
    out[12 * n + i] = fmodf(x, y);
    out[13 * n + i] = log2f(y) + exp2f(x);
    out[14 * n + i] = hypotf(x, y);
    out[15 * n + i] = cbrtf(x);
}

extern "C" __global__ void fast_functions(const float* a, const float* b, float* out, int n) {
    int i = ID;
    if (i >= n) return;
    float x = a[i], y = b[i];
    out[i] = __expf(x);
    out[n + i] = __logf(y);
    out[2 * n + i] = __sinf(x);
    out[3 * n + i] = __cosf(x);
    out[4 * n + i] = __fdividef(x, y);
    out[5 * n + i] = __powf(y, x);
    out[6 * n + i] = __frsqrt_rn(y);
    out[7 * n + i] = __saturatef(x);
}

extern "C" __global__ void rounding(const float* a, float* out, int n) {
    int i = ID;
    if (i >= n) return;
    float x = a[i];
    out[i] = floorf(x);
    out[n + i] = ceilf(x);
    out[2 * n + i] = truncf(x);
    out[3 * n + i] = rintf(x);
    out[4 * n + i] = roundf(x);
    out[5 * n + i] = (float)(int)x + (float)(unsigned)fabsf(x);
    out[6 * n + i] = (float)(long long)x;
    out[7 * n + i] = (float)__float2int_rn(x);
    out[8 * n + i] = fminf(x, 0.5f) + fmaxf(x, -0.5f);
    out[9 * n + i] = copysignf(2.0f, x);
    int e;
    out[10 * n + i] = frexpf(x, &e);
    out[11 * n + i] = ldexpf(x, e);
    out[12 * n + i] = (isnan(x) ? 1 : 0) + (isinf(x) ? 2 : 0) + (signbit(x) ? 4 : 0);
}

extern "C" __global__ void polynomial(const float* a, float* out, int n) {
    int i = ID;
    if (i >= n) return;
    float x = a[i], s = 0.0f;
    for (int k = 1; k < 20; ++k) s = s * x + 1.0f / k;
    out[i] = s;
}

extern "C" __global__ void doubles(const double* a, const double* b, double* out, int n) {
    int i = ID;
    if (i >= n) return;
    double x = a[i], y = b[i];
    out[i] = x + y;
    out[n + i] = x * y - 3.0;
    out[2 * n + i] = x / y;
    out[3 * n + i] = sqrt(y);
    out[4 * n + i] = fma(x, y, -1.0);
    out[5 * n + i] = fmin(x, y);
    out[6 * n + i] = fmax(x, fabs(y));
    out[7 * n + i] = x < y ? x : -y;
    out[8 * n + i] = exp(x);
    out[9 * n + i] = log(y);
    out[10 * n + i] = sin(x);
    out[11 * n + i] = pow(y, x);
    out[12 * n + i] = floor(x) + (double)(int)x + (double)(long long)y + (double)(unsigned)y;
    out[13 * n + i] = (double)(float)x;
    out[14 * n + i] = rsqrt(y);
    out[15 * n + i] = cbrt(x);
}
