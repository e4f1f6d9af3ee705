// Best local alignment of pairs of sequences of length 256: a block a pair, a thread a column, the
// diagonals go down one after the other through shared memory.

#define LENGTH 256

extern "C" __global__ void smith_waterman(const unsigned char* first, const unsigned char* second, int* scores)
{
    __shared__ short above[3][LENGTH + 1];
    __shared__ unsigned char letters[LENGTH];
    __shared__ int best;
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * LENGTH;
    letters[t] = first[base + t] & 3;
    const int letter = second[base + t] & 3;
    for (int i = 0; i < 3; i++) above[i][t + 1] = 0;
    if (t == 0) {
        best = 0;
        above[0][0] = above[1][0] = above[2][0] = 0;
    }
    int mine = 0;
    for (int diagonal = 0; diagonal < 2 * LENGTH - 1; diagonal++) {
        __syncthreads();
        const int now = diagonal % 3, last = (diagonal + 2) % 3, older = (diagonal + 1) % 3;
        const int row = diagonal - t;
        if (row >= 0 && row < LENGTH) {
            int score = above[older][t] + (letters[row] == letter ? 3 : -2);
            score = max(score, max(above[last][t], above[last][t + 1]) - 4);
            score = max(score, 0);
            above[now][t + 1] = score;
            mine = max(mine, score);
        } else {
            above[now][t + 1] = 0;
        }
    }
    atomicMax(&best, mine);
    __syncthreads();
    if (t == 0) scores[blockIdx.x] = best;
}
