// Kernels whose blocks share what they read, none of the catalogue: how far their SMs drift apart,
// and how many of their reads reach L2 as one. With -DLOG the first thread of every block notes
// the clock at each step of its loop (log: SM, start, then the steps).
#ifdef LOG
#define NOTE(step) \
    if (threadIdx.x + threadIdx.y == 0) \
        log[(blockIdx.x + gridDim.x * blockIdx.y) * stride + 2 + (step)] = clock();
#define BEGIN \
    if (threadIdx.x + threadIdx.y == 0) { \
        unsigned sm; \
        asm volatile("mov.u32 %0,%%smid;" : "=r"(sm)); \
        log[(blockIdx.x + gridDim.x * blockIdx.y) * stride] = sm; \
        log[(blockIdx.x + gridDim.x * blockIdx.y) * stride + 1] = clock(); \
    }
#define EXTRA , unsigned* log, int stride
#else
#define NOTE(step)
#define BEGIN
#define EXTRA
#endif
#ifndef TILE
#define TILE 32
#endif
#ifndef WORK
#define WORK 32
#endif

// One tile of each operand, TILE by TILE threads, WORK steps of arithmetic between loads.
extern "C" __global__ void tile_loop(const float* a, const float* b, float* out, int n EXTRA)
{
    __shared__ float s[TILE][TILE + 1], t[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    BEGIN
    for (int k = 0; k < n; k += TILE) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + column];
        __syncthreads();
#pragma unroll 8
        for (int c = 0; c < WORK; c++) sum = sum * 1.0001f + s[y][c % TILE] * t[c % TILE][x];
        __syncthreads();
        NOTE(k / TILE)
    }
    out[row * n + column] = sum;
}

// 64 by 64 results of 256 threads, 4 by 4 each, in steps of 16; 96 by 64 of 192 threads with WIDE.
#ifdef WIDE
#define ROWS 96
#else
#define ROWS 64
#endif
extern "C" __global__ void patch_loop(const float* a, const float* b, float* out, int n EXTRA)
{
    constexpr int COLUMNS = 64, STEP = 16, THREADS = ROWS * COLUMNS / 16;
    __shared__ float s[STEP][ROWS + 1], t[STEP][COLUMNS];
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    float sums[4][4] = {};
    BEGIN
    for (int k = 0; k < n; k += STEP) {
        for (int i = tid; i < ROWS * STEP; i += THREADS)
            s[i % STEP][i / STEP] = a[(blockIdx.y * ROWS + i / STEP) * n + k + i % STEP];
        for (int i = tid; i < COLUMNS * STEP; i += THREADS)
            t[i / COLUMNS][i % COLUMNS] = b[(k + i / COLUMNS) * n + blockIdx.x * COLUMNS + i % COLUMNS];
        __syncthreads();
#pragma unroll
        for (int c = 0; c < STEP; c++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) sums[i][j] += s[c][ty * 4 + i] * t[c][tx + 16 * j];
        __syncthreads();
        NOTE(k / STEP)
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            out[(blockIdx.y * ROWS + ty * 4 + i) * n + blockIdx.x * COLUMNS + tx + 16 * j] = sums[i][j];
}

// No shared memory, no barrier: one result a thread.
extern "C" __global__ void dot_loop(const float* a, const float* b, float* out, int n EXTRA)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    BEGIN
    for (int k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
#ifdef LOG
        if (k % 16 == 15) NOTE(k / 16)
#endif
    }
    out[row * n + column] = sum;
}

// One tile of each operand for any sizes: rows begin anywhere in a line, lanes beyond an edge rest.
extern "C" __global__ void edge_loop(const float* a, const float* b, float* out, int m, int n,
                                     int k EXTRA)
{
    __shared__ float s[TILE][TILE + 1], t[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    BEGIN
    for (int i = 0; i < k; i += TILE) {
        s[y][x] = row < m && i + x < k ? a[row * k + i + x] : 0;
        t[y][x] = i + y < k && column < n ? b[(i + y) * n + column] : 0;
        __syncthreads();
#pragma unroll 8
        for (int c = 0; c < WORK; c++) sum = sum * 1.0001f + s[y][c % TILE] * t[c % TILE][x];
        __syncthreads();
        NOTE(i / TILE)
    }
    if (row < m && column < n) out[row * n + column] = sum;
}

// 64 by 64 results of 256 threads for any sizes, in steps of 16.
extern "C" __global__ void edge_patch(const float* a, const float* b, float* out, int m, int n,
                                      int k EXTRA)
{
    constexpr int EDGE = 64, STEP = 16, THREADS = 256;
    __shared__ float s[STEP][EDGE + 1], t[STEP][EDGE];
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    int top = blockIdx.y * EDGE, left = blockIdx.x * EDGE;
    float sums[4][4] = {};
    BEGIN
    for (int i = 0; i < k; i += STEP) {
        for (int w = tid; w < EDGE * STEP; w += THREADS) {
            int row = top + w / STEP, column = i + w % STEP;
            s[w % STEP][w / STEP] = row < m && column < k ? a[row * k + column] : 0;
        }
        for (int w = tid; w < EDGE * STEP; w += THREADS) {
            int row = i + w / EDGE, column = left + w % EDGE;
            t[w / EDGE][w % EDGE] = row < k && column < n ? b[row * n + column] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < STEP; c++)
            for (int u = 0; u < 4; u++)
                for (int v = 0; v < 4; v++) sums[u][v] += s[c][ty * 4 + u] * t[c][tx + 16 * v];
        __syncthreads();
        NOTE(i / STEP)
    }
    for (int u = 0; u < 4; u++)
        for (int v = 0; v < 4; v++) {
            int row = top + ty * 4 + u, column = left + tx + 16 * v;
            if (row < m && column < n) out[row * n + column] = sums[u][v];
        }
}

// Every block reads the same table again and again, in the same order, past L1.
extern "C" __global__ void table_loop(const float* a, const float* b, float* out, int n EXTRA)
{
    int tid = threadIdx.x;
    float sum = 0;
    BEGIN
    for (int k = 0; k < n; k++) {
        float value;
        asm volatile("ld.global.cg.f32 %0,[%1];" : "=f"(value) : "l"(a + k * blockDim.x + tid));
        sum += value;
#pragma unroll 4
        for (int c = 0; c < WORK; c++) sum = sum * 1.0001f + 1.0f;
#ifdef LOG
        if (k % 4 == 3) NOTE(k / 4)
#endif
    }
    out[blockIdx.x * blockDim.x + tid] = sum + b[0];
}

// 128 by 128 results of 256 threads, 8 by 8 each, in steps of 8: loads of one operand are stored
// before those of the other are asked for. With SPREAD shared memory has no bank conflicts. With AHEAD
// the next step's are asked for before the work.
extern "C" __global__ void square_loop(const float* a, const float* b, float* out, int m, int n,
                                       int k EXTRA)
{
    constexpr int EDGE = 128, STEP = 8, ROW = EDGE + 4;
    __shared__ __align__(16) float s[STEP][ROW], t[STEP][ROW];
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    const float* left = a + blockIdx.y * EDGE * k + tid % STEP;
    const float* right = b + blockIdx.x * EDGE + tid % EDGE;
    float sums[8][8] = {};
#ifdef AHEAD
    float u[4], v[4];
    left += tid / STEP * k, right += tid / EDGE * n;
    for (int i = 0; i < 4; i++) u[i] = left[i * 32 * k], v[i] = right[i * 2 * n];
#endif
    BEGIN
    for (int d = 0; d < k; d += STEP) {
#ifdef AHEAD
        for (int i = 0; i < 4; i++) {
            s[tid % STEP][tid / STEP + i * 32] = u[i];
            t[tid / EDGE + i * 2][tid % EDGE] = v[i];
        }
        __syncthreads();
        int next = min(d + STEP, k - STEP);
        for (int i = 0; i < 4; i++) u[i] = left[i * 32 * k + next], v[i] = right[(next + i * 2) * n];
#else
        for (int i = tid / STEP; i < EDGE; i += blockDim.x / 2)  // once, which the compiler cannot know
            for (int j = 0; j < 128; j += 32) s[tid % STEP][i + j] = left[(i + j) * k + d];
        for (int i = tid / EDGE; i < STEP; i += blockDim.x / 32)
            for (int j = 0; j < 8; j += 2) t[i + j][tid % EDGE] = right[(d + i + j) * n];
        __syncthreads();
#endif
        for (int c = 0; c < STEP; c++) {
            float x[8], y[8];
            for (int i = 0; i < 8; i++) x[i] = s[c][ty * 8 + i];
#ifdef SPREAD
            for (int i = 0; i < 8; i++) y[i] = t[c][i / 4 * 64 + tx * 4 + i % 4];
#else
            for (int i = 0; i < 8; i++) y[i] = t[c][tx * 8 + i];
#endif
            for (int i = 0; i < 8; i++)
                for (int j = 0; j < 8; j++) sums[i][j] += x[i] * y[j];
        }
        __syncthreads();
        NOTE(d / STEP)
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            out[(blockIdx.y * EDGE + ty * 8 + i) * n + blockIdx.x * EDGE + tx * 8 + j] = sums[i][j];
}
