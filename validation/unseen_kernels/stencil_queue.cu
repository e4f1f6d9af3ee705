// A 25-point star in three dimensions (four neighbours each way): planes lie in shared memory, the
// nine values of a column in a queue of registers that moves up a plane at a time.

#define R 4
#define BX 32
#define BY 8

__constant__ float weight[R + 1] = {-2.847222f, 1.6f, -0.2f, 0.0253968f, -0.001785714f};

extern "C" __global__ void stencil_queue(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz)
{
    __shared__ float plane[BY + 2 * R][BX + 2 * R];
    const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    const int tx = threadIdx.x + R, ty = threadIdx.y + R;
    const int pitch = nx + 2 * R;
    const size_t layer = (size_t)pitch * (ny + 2 * R);
    const float* column = in + (size_t)(y + R) * pitch + x + R;
    float queue[2 * R + 1];
#pragma unroll
    for (int i = 0; i < 2 * R; i++) queue[i] = column[i * layer];
    for (int z = 0; z < nz; z++) {
        queue[2 * R] = column[(z + 2 * R) * layer];
        __syncthreads();
        const float* here = column + (z + R) * layer;
        if (threadIdx.y < R) {
            plane[threadIdx.y][tx] = here[-R * pitch];
            plane[threadIdx.y + BY + R][tx] = here[BY * pitch];
        }
        if (threadIdx.x < R) {
            plane[ty][threadIdx.x] = here[-R];
            plane[ty][threadIdx.x + BX + R] = here[BX];
        }
        plane[ty][tx] = queue[R];
        __syncthreads();
        float sum = 3.0f * weight[0] * queue[R];
#pragma unroll
        for (int i = 1; i <= R; i++)
            sum += weight[i] * (queue[R - i] + queue[R + i] + plane[ty][tx - i] + plane[ty][tx + i]
                                + plane[ty - i][tx] + plane[ty + i][tx]);
        out[((size_t)z * ny + y) * nx + x] = sum;
#pragma unroll
        for (int i = 0; i < 2 * R; i++) queue[i] = queue[i + 1];
    }
}
