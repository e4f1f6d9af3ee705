// How fast groups of SMs get lines of L2 that they ask for all at once, and how many of those requests
// reach L2 as one.
//
// nvcc -O2 -std=c++17 -arch=sm_90 bursts.cu -o bursts
// ./bursts LIST LOG;  ncu --profile-from-start off --cache-control none --metrics METRICS ./bursts LIST LOG
//
// A cluster of 16 blocks puts 16 SMs of one group (GPC) under one clock, as in coalescer.cu. Every SM
// has WARPS warps that load ``each`` lines of 128 bytes one after the other, again and again (phases),
// each time from the same cycle on. LIST has a launch a line:
//   label heat groups ranks delay warps each lines
// heat    cold (nobody has touched the lines) or warm (they are in L2)
// groups  clusters that do so at once
// ranks   mask of the SMs of a cluster that load
// delay   cycles between the beginnings of one SM and the next
// lines   own: other ones for every SM; same: the same for all of them; grid: half of the lines shared
//         by four SMs, half by four others, as rows and columns of a matrix product
// LOG gets for each launch, by SM of the first cluster, cycles from its beginning until the first warp,
// a quarter, half, three quarters of them and the last have their lines: medians over the phases.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>
#include <cooperative_groups.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
#define CK(x) do{cudaError_t e=(x);if(e!=cudaSuccess){printf("ERR %s line %d\n",cudaGetErrorString(e),__LINE__);exit(1);}}while(0)
constexpr int RANKS=16, WARPS=32, PHASES=12, INTERVAL=6000, ROOM=120*1024;
struct Plan{unsigned ranks;int delay,warps,lines,groups;};
__device__ __forceinline__ unsigned long long tick(){unsigned long long r;asm volatile("mov.u64 %0,%%globaltimer;":"=l"(r));return r;}
template<int U> __device__ __forceinline__ unsigned fire(const unsigned* first){
  unsigned v[U],acc=0;
  #pragma unroll
  for(int u=0;u<U;u++)asm volatile("ld.global.u32 %0,[%1];":"=r"(v[u]):"l"(first+u*32+(threadIdx.x&31)));
  #pragma unroll
  for(int u=0;u<U;u++)acc+=v[u];
  return acc;
}
template<int U> __global__ void __cluster_dims__(RANKS,1,1) run(Plan plan,const unsigned* data,unsigned* log,unsigned long long* when,unsigned* sink){
  __shared__ long long at[64]; __shared__ long long start;
  cg::cluster_group cluster=cg::this_cluster();
  int rank=cluster.block_rank(),warp=threadIdx.x>>5,lane=threadIdx.x&31,group=blockIdx.x/RANKS; unsigned acc=0;
  for(int n=0;n<64;n++){cluster.sync();if(threadIdx.x==0)at[n]=clock64();}
  cluster.sync();
  if(threadIdx.x==0){ // offset: median over the barriers of own clock minus the first SM's
    long long* other=cluster.map_shared_rank(at,0); long long d[63];
    for(int n=1;n<64;n++){long long v=at[n]-other[n];int k=n-1;while(k>0&&d[k-1]>v){d[k]=d[k-1];k--;}d[k]=v;}
    start=d[31];
  }
  cluster.sync();
  if(rank==0&&threadIdx.x==0){ // clusters look at their clocks at one tick of the chip's timer
    unsigned long long mine=tick()+60000,first=atomicCAS(when,0ull,mine);
    if(first==0)first=mine;
    while(tick()<first);
    at[0]=clock64()+20000;
  }
  cluster.sync();
  if(threadIdx.x==0)start+=*cluster.map_shared_rank(at,0);
  cluster.sync();
  if(plan.ranks>>rank&1&&warp<plan.warps){
    int index=__popc(plan.ranks&((1u<<rank)-1)),sms=__popc(plan.ranks),lines=plan.warps*U;
    for(int p=0;p<PHASES;p++){
      long long due=start+(long long)p*INTERVAL+plan.delay*index; size_t set=(size_t)group*PHASES+p,line;
      if(plan.lines==0)line=(set*sms+index)*lines+warp*U;
      if(plan.lines==1)line=set*lines+warp*U;
      if(plan.lines==2){ // tables of four rows and four columns, half the lines of each
        int part=warp<(plan.warps+1)/2?index/4:4+index%4;
        line=(set*8+part)*lines+warp*U;
      }
      while(clock64()<due);
      acc+=fire<U>(data+line*32); if(acc==0x12345)sink[rank]=acc;
      long long e=clock64();
      if(lane==0&&group==0)log[(rank*PHASES+p)*WARPS+warp]=(unsigned)(e-due);
      __syncwarp();
    }
  }
  cluster.sync();
}
__global__ void touch(const unsigned* data,size_t lines,size_t turn,unsigned* sink){
  unsigned acc=0; size_t warps=(size_t)gridDim.x*blockDim.x/32,w=((size_t)blockIdx.x*blockDim.x+threadIdx.x)/32;
  for(size_t i=(w+turn*blockDim.x/32)%warps;i<lines;i+=warps){unsigned v;asm volatile("ld.global.cg.u32 %0,[%1];":"=r"(v):"l"(data+i*32+(threadIdx.x&31)));acc+=v;}
  if(acc==0x12345)sink[0]=acc;
}
template<int U> void launch(const Plan& p,const unsigned* data,unsigned* log,unsigned long long* when,unsigned* sink){
  auto f=run<U>;
  CK(cudaFuncSetAttribute(f,cudaFuncAttributeMaxDynamicSharedMemorySize,ROOM));
  CK(cudaFuncSetAttribute(f,cudaFuncAttributeNonPortableClusterSizeAllowed,1));
  f<<<p.groups*RANKS,WARPS*32,ROOM>>>(p,data,log,when,sink); CK(cudaGetLastError());
}
int main(int,char**argv){
  std::ifstream list(argv[1]); FILE* out=fopen(argv[2],"w");
  const size_t N=4096ull<<20,LOG=RANKS*PHASES*WARPS; char* memory; unsigned *log,*sink; unsigned long long* when; size_t used=0;
  CK(cudaMalloc(&memory,N));CK(cudaMemset(memory,0,N));CK(cudaMalloc(&log,LOG*4));CK(cudaMalloc(&sink,4096));CK(cudaMalloc(&when,8));
  unsigned* other=(unsigned*)(memory+N-(128ull<<20)); // read last before a cold launch, so that L2 holds it
  std::string text;
  while(std::getline(list,text)){
    std::istringstream in(text); std::string label,heat,kind; int each; Plan p;
    in>>label>>heat>>p.groups>>std::hex>>p.ranks>>std::dec>>p.delay>>p.warps>>each>>kind;
    p.lines=kind=="own"?0:kind=="same"?1:2;
    size_t tables=p.lines==0?__builtin_popcount(p.ranks):p.lines==1?1:8;
    size_t lines=tables*p.groups*PHASES*p.warps*each;
    if(used+lines*128>N-(256ull<<20))used=0;
    unsigned* data=(unsigned*)(memory+used); used+=lines*128;
    CK(cudaMemset(log,0,LOG*4));CK(cudaMemset(when,0,8));
    if(heat=="warm")for(int turn=0;turn<8;turn++)touch<<<264,1024>>>(data,lines,turn*41,sink);
    else touch<<<264,1024>>>(other,(128ull<<20)/128,0,sink);
    CK(cudaDeviceSynchronize());
    cudaProfilerStart();
    if(each==1)launch<1>(p,data,log,when,sink);
    if(each==2)launch<2>(p,data,log,when,sink);
    if(each==4)launch<4>(p,data,log,when,sink);
    CK(cudaDeviceSynchronize());cudaProfilerStop();
    std::vector<unsigned>h(LOG);CK(cudaMemcpy(h.data(),log,LOG*4,cudaMemcpyDeviceToHost));
    fprintf(out,"%s",label.c_str());
    for(int r=0;r<RANKS;r++)if(p.ranks>>r&1){
      std::vector<unsigned>part[5];
      for(int n=0;n<PHASES;n++){
        std::vector<unsigned>v(&h[(r*PHASES+n)*WARPS],&h[(r*PHASES+n)*WARPS]+p.warps);std::sort(v.begin(),v.end());
        for(int q=0;q<5;q++)part[q].push_back(v[(p.warps-1)*q/4]);
      }
      for(int q=0;q<5;q++){std::sort(part[q].begin(),part[q].end());fprintf(out,"%c%u",q?':':' ',part[q][PHASES/2]);}
    }
    fprintf(out,"\n");
  }
  fclose(out); return 0;
}
