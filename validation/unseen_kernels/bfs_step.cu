// One step of a search through a graph: vertices of the front mark their neighbours. Lengths of the
// lists differ; a list begins at its vertex's number times 32.

extern "C" __global__ void bfs_step(const int* __restrict__ level, const unsigned char* __restrict__ length,
                                    const int* __restrict__ neighbours, int* next, int* changed, int vertices, int now)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || level[v] % 10 != now) return;
    const int count = length[v] & 31;
    for (int e = 0; e < count; e++) {
        const int u = (v + neighbours[v * 32 + e] * 9973) % vertices;
        if (level[u] >= 50) {
            next[u] = now + 1;
            *changed = 1;
        }
    }
}
