// Which stores of an SM into the same sectors leave L1 as one.
//
// nvcc -O2 -std=c++17 -arch=sm_90 stores.cu -o stores
// ncu --profile-from-start off --metrics l1tex__m_l1tex2xbar_write_sectors,
//     l1tex__t_sectors_pipe_lsu_mem_global_op_st ./stores   (one launch a printed line)
// A warp stores JOIN times into the same sectors, each time other words of them; between two such
// stores it waits GAP cycles and stores BETWEEN times elsewhere.
#include <cstdio>
#include <cstdlib>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e=(x);if(e!=cudaSuccess){printf("ERR %s line %d\n",cudaGetErrorString(e),__LINE__);exit(1);}}while(0)
struct Plan{int stride,step,join,gap,between,phases;}; // words
template<int WIDE> __global__ void run(Plan p,float* out,float* other,int* zero){
  int warp=threadIdx.x>>5,warps=blockDim.x>>5,lane=threadIdx.x&31;
  float v=*zero; size_t each=32*p.stride+64;
  for(int n=0;n<p.phases;n++){
    float* base=out+((size_t)(n*warps+warp))*each+lane*p.stride;
    float* off=other+((size_t)(n*warps+warp))*8*1024+lane;
    for(int j=0;j<p.join;j++){
      if(WIDE==1)asm volatile("st.global.f32 [%0],%1;"::"l"(base+j*p.step),"f"(v));
      if(WIDE==4)asm volatile("st.global.v4.f32 [%0],{%1,%1,%1,%1};"::"l"(base+j*p.step),"f"(v));
      for(int b=0;b<p.between;b++)asm volatile("st.global.f32 [%0],%1;"::"l"(off+(j*p.between+b)*32),"f"(v));
      if(p.gap){long long c=clock64();while(clock64()-c<p.gap);}
    }
    long long c=clock64();while(clock64()-c<3000);
  }
}
int main(){
  float*out,*other;int*zero; size_t N=512ull<<20;
  CK(cudaMalloc(&out,N));CK(cudaMalloc(&other,N));CK(cudaMalloc(&zero,4));CK(cudaMemset(zero,0,4));
  struct Kind{const char* name;int wide,stride,step,join;} kinds[]={
    {"sector-a-lane",1,8,1,8},{"half-sectors",4,8,4,2},{"every-other",1,2,1,2},{"two-words",1,8,1,2},
    {"apart",1,64,1,4},{"one-line",1,1,0,4}};
  for(auto&k:kinds)for(int warps:{1,4,16})for(int gap:{0,30,100,300,1000})for(int between:{0,1,4,8}){
    if(between&&gap)continue;
    Plan p{k.stride,k.step,k.join,gap,between,16};
    CK(cudaDeviceSynchronize());cudaProfilerStart();
    if(k.wide==1)run<1><<<1,warps*32>>>(p,out,other,zero);else run<4><<<1,warps*32>>>(p,out,other,zero);
    CK(cudaGetLastError());CK(cudaDeviceSynchronize());cudaProfilerStop();
    printf("ROW %s warps %d gap %d between %d\n",k.name,warps,gap,between);
  }
  return 0;
}
