// A switch, loops with breaks, recursion, local arrays, constants and global variables.
__constant__ int weights[64] = {1, 2, 3};
__device__ int counters[16];
__device__ int* start = counters + 2;

__device__ __noinline__ int deep(int x, int* p) { return x > 3 ? p[x] * deep(x - 1, p) : x; }

extern "C" __global__ void control(int* a, int n)
{
    int local[32];
    for (int i = 0; i < 32; i++) local[i] = a[i] * n;
    switch (a[n]) {
    case 0: local[3] = 1; break;
    case 1: local[a[4]] = 7; break;
    case 2: local[2] /= a[7]; break;
    case 3: a[0] = deep(a[1], a); break;
    case 4: local[1] = weights[a[3]]; break;
    case 5: local[7] = counters[a[3]]++; break;
    case 6: a[7] = *start;
    case 7: return;
    }
    while (a[n] > 0) {
        if (a[threadIdx.x] == 3) break;
        if (a[threadIdx.x] == 5) continue;
        a[threadIdx.x] -= weights[threadIdx.x & 63];
        n++;
    }
    a[threadIdx.x] = local[a[5]];
    short narrow[40];
    for (int i = 0; i < 40; i++) narrow[i] = a[i];
    a[1] = narrow[a[2]];
}
