// A step of a rank over a graph: eight lanes share a vertex and pull the ranks of its neighbours.

extern "C" __global__ void __launch_bounds__(192)
pagerank_pull(const float* __restrict__ rank, const unsigned char* __restrict__ degree,
              const unsigned* __restrict__ neighbours, float* __restrict__ next, int vertices, float damp)
{
    const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    if (v >= vertices) return;
    const int count = degree[v] & 63;
    float sum = 0.0f;
    for (int e = lane; e < count; e += 8) {
        const unsigned hash = (neighbours[(size_t)v * 64 + e] + v * 2654435761u) * 2246822519u;
        sum += rank[hash % vertices];
    }
    sum += __shfl_down_sync(~0u, sum, 4, 8);
    sum += __shfl_down_sync(~0u, sum, 2, 8);
    sum += __shfl_down_sync(~0u, sum, 1, 8);
    if (lane == 0) next[v] = (1.0f - damp) / vertices + damp * sum;
}
