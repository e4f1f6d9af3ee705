// Merges two sorted lists: every thread finds by bisection where its stretch of eight begins.

extern "C" __global__ void merge_ranks(
    const unsigned* __restrict__ a, const unsigned* __restrict__ b, unsigned* __restrict__ out, int na, int nb)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    if (first >= na + nb) return;
    int low = max(0, first - nb), high = min(first, na);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[first - 1 - middle]) low = middle + 1;
        else high = middle;
    }
    int i = low, j = first - low;
    for (int o = first; o < min(first + 8, na + nb); o++)
        out[o] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}
