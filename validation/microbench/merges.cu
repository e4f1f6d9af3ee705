// Which stores of a busy SM into the same sectors leave L1 as one: warps that store without a pause.
//
// nvcc -O2 -std=c++17 -arch=sm_90 merges.cu -o merges
// ncu --clock-control none --metrics l1tex__m_l1tex2xbar_write_sectors.sum,
//     l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum,
//     lts__t_sectors_srcunit_tex_op_write.sum,lts__t_requests_srcunit_tex.sum,sm__cycles_active.max --csv ./merges
// Each lane stores `join` words one after the other, `stride` words from the next lane; a row of `lanes`
// lanes, rows `pitch` words apart; `groups` such groups, each `across` words (or a row) on.
#include <cstdio>
#include <cuda_runtime.h>
struct Plan { int grid, warps, lanes, stride, pitch, join, groups, across, gap; };
template <int WIDE> __global__ void run(Plan p, float* out, int* zero) {
    int warp = threadIdx.x >> 5, warps = blockDim.x >> 5, lane = threadIdx.x & 31;
    float v = *zero;
    int rows = 32 / p.lanes;
    float* base = out + ((size_t)(blockIdx.x * warps + warp) * rows + lane / p.lanes) * p.groups * p.pitch + lane % p.lanes * p.stride;
    for (int g = 0; g < p.groups; g++) {
#pragma unroll 4
        for (int j = 0; j < p.join; j++) {
            if (WIDE == 1) asm volatile("st.global.f32 [%0],%1;" ::"l"(base + j), "f"(v));
            if (WIDE == 4) asm volatile("st.global.v4.f32 [%0],{%1,%1,%1,%1};" ::"l"(base + 4 * j), "f"(v));
            if (p.gap) { unsigned c = clock(); while (unsigned(clock()) - c < p.gap); }
        }
        base += p.across ? (g & 1 ? p.pitch - p.across : p.across) : p.pitch;
    }
}
int main() {
    float* out; int* zero;
    cudaMalloc(&out, 512 << 20); cudaMalloc(&zero, 4); cudaMemset(zero, 0, 4);
    auto go = [&](int wide, Plan p) {
        fprintf(stderr, "PLAN wide %d grid %d warps %d lanes %d stride %d pitch %d join %d groups %d across %d gap %d\n", wide, p.grid, p.warps, p.lanes, p.stride, p.pitch, p.join, p.groups, p.across, p.gap);
        if (wide == 1) run<1><<<p.grid, p.warps * 32>>>(p, out, zero);
        else run<4><<<p.grid, p.warps * 32>>>(p, out, zero);
        cudaDeviceSynchronize();
    };
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        go(1, {1, warps, 16, 4, 256, 4, 16, 64, 0});
        go(1, {1, warps, 16, 8, 256, 8, 8, 0, 0});
        go(1, {1, warps, 32, 4, 256, 4, 16, 0, 0});
        go(1, {1, warps, 32, 2, 256, 2, 32, 0, 0});
        go(1, {1, warps, 32, 1, 256, 1, 64, 0, 0});
        go(1, {1, warps, 8, 4, 256, 4, 16, 0, 0});
    }
    for (int warps : {8, 16}) {
        go(1, {1, warps, 16, 2, 256, 2, 32, 0, 0});
        go(1, {1, warps, 16, 8, 256, 2, 32, 0, 0});
        go(1, {1, warps, 16, 8, 256, 4, 16, 0, 0});
        go(1, {1, warps, 4, 8, 256, 8, 8, 0, 0});
        go(1, {1, warps, 4, 4, 256, 4, 16, 0, 0});
        go(1, {1, warps, 8, 8, 256, 8, 8, 0, 0});
        go(1, {1, warps, 32, 8, 256, 8, 8, 0, 0});
        go(1, {1, warps, 32, 64, 4096, 4, 16, 0, 0});
        go(4, {1, warps, 16, 8, 256, 2, 16, 0, 0});
        for (int gap : {20, 60, 200, 600}) go(1, {1, warps, 16, 4, 256, 4, 16, 64, gap});
    }
    for (int grid : {4, 66, 132}) {
        go(1, {grid, 8, 16, 4, 256, 4, 16, 64, 0});
        go(1, {grid, 8, 16, 8, 256, 8, 8, 0, 0});
        go(1, {grid, 16, 32, 2, 256, 2, 32, 0, 0});
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
