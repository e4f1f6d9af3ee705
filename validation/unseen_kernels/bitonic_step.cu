// One step of a bitonic sort in global memory: a thread compares two keys at a distance and swaps keys
// and values where they are in the wrong order.

extern "C" __global__ void bitonic_step(unsigned* keys, unsigned* values, int half, int distance, int span)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= half) return;
    const int low = 2 * i - (i & (distance - 1)), high = low + distance;
    const unsigned a = keys[low], b = keys[high];
    const bool up = (low & span) == 0;
    if ((a > b) == up) {
        keys[low] = b;
        keys[high] = a;
        const unsigned v = values[low];
        values[low] = values[high];
        values[high] = v;
    }
}
