// What L1 holds: programs of loads and stores on one SM, with the cycles that each load took; and
// rows that blocks read and write several times while other blocks come and go.
//
// nvcc -O2 -std=c++17 -arch=sm_90 l1.cu -o l1
// ./l1 programs LIST LOG [PERCENT of the room for shared memory, 12: 32 KiB]
// ncu --profile-from-start off --metrics METRICS ./l1 rows LIST
//
// LIST (l1_list.py) has a launch a line. A program: label, warps, blocks, then operations, one after
// the other with a pause between, each kind:mask:first:count:step:range:seed:log of lines of 128 bytes,
// a word a lane of the mask:
//   kind 0 global load, 1 global store, 2 local load, 3 local store
//   range 0: lines first, first + step and so on; above: lines first + some number below range, others in each block;
//        below: rows of step lines from first on, after each the row of -range rows before again
//   log 1: note the cycles of each load of the first block
// The warps take lines in turn. LOG gets label, then the cycles of all noted loads. Rows (rows.cu):
// label, columns, blocks, passes.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include "rows.cu"
#define CK(x) do{cudaError_t e=(x);if(e!=cudaSuccess){printf("ERR %s line %d\n",cudaGetErrorString(e),__LINE__);exit(1);}}while(0)
constexpr int OPS=12, LOCAL=512, NOTES=8192;
struct Op{int kind;unsigned mask;int first,count,step,range,seed,log;};
struct Program{int ops;Op op[OPS];};
__device__ __forceinline__ unsigned mix(unsigned n,unsigned seed){
  unsigned h=n*0x9E3779B1u+seed*0x85EBCA6Bu; h^=h>>15; h*=0x85EBCA77u; h^=h>>13; return h;
}
__device__ __forceinline__ int line_of(const Op& op,int i){
  if(op.range>0)return mix(i,op.seed+blockIdx.x*7919)%op.range;
  if(op.range==0)return i*op.step;
  int row=i/(2*op.step),at=i%(2*op.step); // a new row of lines, then the one of -range rows before
  return at<op.step?row*op.step+at:max(0,row+op.range)*op.step+at-op.step;
}
__global__ void program(const __grid_constant__ Program p,unsigned* data,unsigned* out){
  extern __shared__ unsigned short note[];
  unsigned room[LOCAL]; unsigned at=(unsigned)__cvta_generic_to_local(room);
  int lane=threadIdx.x&31,warp=threadIdx.x>>5,warps=blockDim.x>>5,noted=0; unsigned acc=0;
  for(int o=0;o<p.ops;o++){
    Op op=p.op[o];
    for(int i=warp;i<op.count;i+=warps){
      int line=op.first+line_of(op,i),kind=op.kind; // a warp's lines, in order
      unsigned v=0; long long from=clock64();
      if(op.mask>>lane&1){
        const unsigned* a=data+(size_t)line*32+lane;
        if(kind==0)asm volatile("ld.global.u32 %0,[%1];":"=r"(v):"l"(a));
        if(kind==1)asm volatile("st.global.u32 [%0],%1;"::"l"(a),"r"(acc));
        if(kind==2)asm volatile("ld.local.u32 %0,[%1];":"=r"(v):"r"(at+line*4));
        if(kind==3)asm volatile("st.local.u32 [%0],%1;"::"r"(at+line*4),"r"(acc));
      }
      acc+=v; if(acc==0x12345)out[lane]=acc;
      long long to=clock64();
      if(op.log&&lane==0)note[noted+i]=(unsigned short)(kind&1?0:min((long long)65535,to-from));
    }
    if(op.log)noted+=op.count;
    __syncthreads();
    long long from=clock64(); while(clock64()-from<3000);
    __syncthreads();
  }
  if(blockIdx.x==0)for(int i=threadIdx.x;i<noted;i+=blockDim.x)out[32+i]=note[i];
}
__global__ void clear(){extern __shared__ unsigned short note[];note[threadIdx.x]=0;} // L1 is split anew
int main(int argc,char**argv){
  std::string mode=argv[1]; int percent=argc>4?atoi(argv[4]):12; std::ifstream list(argv[2]); std::string text,word;
  const size_t N=1024ull<<20; char *a,*b; CK(cudaMalloc(&a,N));CK(cudaMalloc(&b,N));
  CK(cudaMemset(a,0,N));CK(cudaMemset(b,0,N));
  CK(cudaFuncSetAttribute(program,cudaFuncAttributePreferredSharedMemoryCarveout,percent));
  CK(cudaFuncSetAttribute(rows,cudaFuncAttributePreferredSharedMemoryCarveout,percent));
  CK(cudaFuncSetAttribute(clear,cudaFuncAttributeMaxDynamicSharedMemorySize,200000));
  FILE* log=mode=="programs"?fopen(argv[3],"w"):nullptr;
  while(std::getline(list,text)){
    std::istringstream in(text); std::string label; in>>label;
    if(mode=="programs"){
      Program p; memset(&p,0,sizeof p); int warps,blocks; in>>warps>>blocks; int noted=0;
      while(in>>word){
        Op& q=p.op[p.ops++];
        sscanf(word.c_str(),"%d:%i:%d:%d:%d:%d:%d:%d",&q.kind,(int*)&q.mask,&q.first,&q.count,&q.step,&q.range,&q.seed,&q.log);
        if(q.log)noted+=q.count;
      }
      clear<<<264,32,200000>>>();
      program<<<blocks,32*warps,NOTES*2>>>(p,(unsigned*)a,(unsigned*)b);
      CK(cudaDeviceSynchronize());
      std::vector<unsigned> h(noted+32); CK(cudaMemcpy(h.data(),b,h.size()*4,cudaMemcpyDeviceToHost));
      fprintf(log,"%s",label.c_str()); for(int i=0;i<noted;i++)fprintf(log," %u",h[32+i]); fprintf(log,"\n");
    }else{
      int columns,count; std::string passes; in>>columns>>count>>passes; unsigned long long codes=0;
      memcpy(&codes,passes.data(),passes.size());
      CK(cudaDeviceSynchronize());cudaProfilerStart();
      rows<<<count,256>>>(codes,(float*)a,(float*)b,columns);
      CK(cudaGetLastError());CK(cudaDeviceSynchronize());cudaProfilerStop();
      printf("ROW %s\n",label.c_str());
    }
  }
  if(log)fclose(log);
  return 0;
}
