// Every thread sorts 16 of its own values by insertion, in an array indexed at run time.
// Shows: such an array lies in local memory; lanes part where their loops end at different times.

constexpr int COUNT = 16;

extern "C" __global__ void local_sort(const float* in, float* out, int n)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= n)
        return;

    float values[COUNT];
#pragma unroll 1
    for (int i = 0; i < COUNT; i++) {
        float value = in[i * n + thread];
        int place = i;
        while (place > 0 && values[place - 1] > value) {
            values[place] = values[place - 1];
            place--;
        }
        values[place] = value;
    }
#pragma unroll 1
    for (int i = 0; i < COUNT; i++)
        out[i * n + thread] = values[i];
}
