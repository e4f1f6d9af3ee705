// Single and double precision with slow paths in subroutines, special values, conversions.
extern "C" __global__ void floats(double* a, float* f, int n)
{
    int i = threadIdx.x;
    a[i] = a[i] / a[i + 1] + sqrt(a[2]) + exp(a[3]) + fma(a[4], 2.5, -1e300) + rint(a[5]) + n;
    a[i + 9] = (double)f[1] + (int)f[17] + (float)a[9] + (unsigned)a[10];
    f[i] = f[i] / f[3] + sinf(f[4]) + __expf(f[5]) + rsqrtf(f[6]) + logf(f[7]) + powf(f[8], f[9]);
    f[i + 1] = floorf(f[10]) + fminf(f[11], f[12]) + __saturatef(f[13]) + f[14] * INFINITY;
    f[i + 2] = fabsf(f[15]) - (-f[16]) + erff(f[19]) + (n ? 1e-42f : 0.f) + tanhf(f[20]);
    if (isnan(f[n])) f[0] = __int_as_float(0x7fc00001);
}
