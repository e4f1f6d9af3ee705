// What chapter 10 of the published measurements times, written anew from its descriptions: copies
// with several layouts, transposes through shared memory, and tiles copied in three ways.

__device__ __forceinline__ void copy_tile(float* out, const float* in, int n, bool transpose,
                                          float* tile, int pitch) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y * pitch + threadIdx.x] = in[y * n + x];
    __syncthreads();
    if (transpose) {
        x = blockIdx.y * 32 + threadIdx.x;
        y = blockIdx.x * 32 + threadIdx.y;
        out[y * n + x] = tile[threadIdx.x * pitch + threadIdx.y];
    } else {
        out[y * n + x] = tile[threadIdx.y * pitch + threadIdx.x];
    }
}

extern "C" __global__ void tile_copy(const float* in, float* out, int n) {
    __shared__ float tile[32 * 32];
    copy_tile(out, in, n, false, tile, 32);
}

extern "C" __global__ void tile_transpose(const float* in, float* out, int n) {
    __shared__ float tile[32 * 32];
    copy_tile(out, in, n, true, tile, 32);
}

extern "C" __global__ void tile_transpose_padded(const float* in, float* out, int n) {
    __shared__ float tile[32 * 33];
    copy_tile(out, in, n, true, tile, 33);
}

extern "C" __global__ void scale(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2.0f;
}

extern "C" __global__ void scale_strided(const float* in, float* out, int n, int stride) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (i < n) out[i] = in[i] * 2.0f;
}

struct Particle {
    float x, y, z, w;
};

extern "C" __global__ void scale_structs(const Particle* in, Particle* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle p = in[i];
    out[i] = {p.x * 2.0f, p.y * 2.0f, p.z * 2.0f, p.w * 2.0f};
}

extern "C" __global__ void scale_arrays(const float* a, const float* b, const float* c,
                                        const float* d, float* e, float* f, float* g, float* h,
                                        int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    e[i] = a[i] * 2.0f;
    f[i] = b[i] * 2.0f;
    g[i] = c[i] * 2.0f;
    h[i] = d[i] * 2.0f;
}

__device__ __forceinline__ void start_copy(float* to, const float* from) {
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
}

extern "C" __global__ void tiles_plain(const float* in, float* out, int n) {
    __shared__ float tile[256];
    for (int first = blockIdx.x * 256; first < n; first += gridDim.x * 256) {
        tile[threadIdx.x] = in[first + threadIdx.x];
        __syncthreads();
        out[first + threadIdx.x] = tile[threadIdx.x] * 2.0f;
        __syncthreads();
    }
}

extern "C" __global__ void tiles_async(const float* in, float* out, int n) {
    __shared__ float tile[256];
    for (int first = blockIdx.x * 256; first < n; first += gridDim.x * 256) {
        start_copy(tile + threadIdx.x, in + first + threadIdx.x);
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        out[first + threadIdx.x] = tile[threadIdx.x] * 2.0f;
        __syncthreads();
    }
}

extern "C" __global__ void tiles_pipelined(const float* in, float* out, int n) {
    __shared__ float tile[3][256];
    int step = gridDim.x * 256, first = blockIdx.x * 256 + threadIdx.x;
    for (int ahead = 0; ahead < 2; ahead++)
        if (first + ahead * step < n) start_copy(&tile[ahead][threadIdx.x], in + first + ahead * step);
    int stage = 0;
    for (; first < n; first += step) {
        int next = stage == 0 ? 2 : stage - 1;
        if (first + 2 * step < n) {
            start_copy(&tile[next][threadIdx.x], in + first + 2 * step);
            asm volatile("cp.async.wait_group 2;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_all;" ::: "memory");
        }
        __syncthreads();
        out[first] = tile[stage][threadIdx.x] * 2.0f;
        __syncthreads();
        stage = stage == 2 ? 0 : stage + 1;
    }
}
