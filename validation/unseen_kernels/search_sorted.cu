// First place of a sorted table that is not less than a query, a thread a query.

extern "C" __global__ void search_sorted(const float* __restrict__ table, const float* __restrict__ query,
                                         int* __restrict__ place, int length, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float wanted = (query[i] + 1) * 0.5f * length;
    int low = 0, count = length;
    while (count > 0) {
        const int half = count / 2;
        if (table[low + half] < wanted) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    place[i] = low;
}
