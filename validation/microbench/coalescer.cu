// Which loads of different SMs reach L2 as one: how far apart in time, how many, in which state.
//
// nvcc -O2 -std=c++17 -arch=sm_90 coalescer.cu -o coalescer
// ncu --profile-from-start off --cache-control none --metrics METRICS ./coalescer LIST LOG 1
//
// A cluster of 16 blocks puts 16 SMs of one group (GPC) under one clock: their offsets are found
// from hardware barriers, then every SM loads at cycles fixed in advance. LIST has a launch a line:
//   label temperature lines phases interval background again [rank:warp:kind:sectors:delay ...]
// temperature  cold (no one has touched the lines), warm (they are in L2), or what is done before, a
//              letter each: T all SMs read them, t each is read once, W a kernel writes them, H the
//              host does, R the same launch, A a kernel for other lines, M memory is set, S a wait
// lines        lines (1, 4, 16, 64) that a shot loads one after another
// background   lines in flight of every SM that does not shoot, 0: none
// again        phases after which the lines come again, 0: never
// rank         SM of the first group; from 16 on SM of a second one
// kind         0 LDG, 1 LDG past L1, 2 volatile LDG, 3 cp.async.cg of 16 bytes to 16 bytes behind
//              a sector's start in shared memory, 4 the same to a line's start
// sectors      mask of the line's sectors; delay in cycles after the phase's start
// LOG gets, for each launch, its label, SMs, and cycles of start and end by shot and phase.
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
constexpr int RANKS=16, WARPS=4, MOST=256, STEP=4; // lines used: every STEP-th
struct Shot{int kind,sectors,delay;};
struct Plan{Shot shot[2*RANKS][2];int phases,interval,background,again;};
struct Meeting{unsigned long long when;long long clock,start;int ready,known;};
__device__ __forceinline__ unsigned smid(){unsigned r;asm volatile("mov.u32 %0,%%smid;":"=r"(r));return r;}

__device__ __forceinline__ unsigned long long tick(){unsigned long long r;asm volatile("mov.u64 %0,%%globaltimer;":"=l"(r));return r;}
template<int U,int K> __device__ __forceinline__ unsigned fire(const unsigned* first,int sectors,char* room){
  int lane=threadIdx.x&31; unsigned v[U],acc=0;
  if(K>=3){
    if(lane<8&&sectors>>(lane/2)&1){
      #pragma unroll
      for(int u=0;u<U;u++){
        unsigned to=(unsigned)__cvta_generic_to_shared(room+u*128+lane*16+(K==3?16:0));
        asm volatile("cp.async.cg.shared.global [%0],[%1],16;"::"r"(to),"l"(first+u*32*STEP+lane*4));
      }
    }
    asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;":::"memory");
    return 0;
  }
  if(sectors>>(lane/8)&1){
    #pragma unroll
    for(int u=0;u<U;u++){
      const unsigned* a=first+u*32*STEP+lane;
      if(K==0)asm volatile("ld.global.u32 %0,[%1];":"=r"(v[u]):"l"(a));
      if(K==1)asm volatile("ld.global.cg.u32 %0,[%1];":"=r"(v[u]):"l"(a));
      if(K==2)asm volatile("ld.volatile.global.u32 %0,[%1];":"=r"(v[u]):"l"(a));
    }
    #pragma unroll
    for(int u=0;u<U;u++)acc+=v[u];
  }
  return acc;
}
template<int U> __device__ __forceinline__ unsigned shoot(Shot s,const unsigned* a,char* room){
  if(s.kind==0)return fire<U,0>(a,s.sectors,room);
  if(s.kind==1)return fire<U,1>(a,s.sectors,room);
  if(s.kind==2)return fire<U,2>(a,s.sectors,room);
  if(s.kind==3)return fire<U,3>(a,s.sectors,room);
  return fire<U,4>(a,s.sectors,room);
}
// other SMs: load lines nobody else loads, ``flight`` at a time, past L1; the data stay in L2
__device__ unsigned stream(const unsigned* data,int flight,volatile int* stop){
  unsigned acc=0; int warp=threadIdx.x>>5,lane=threadIdx.x&31;
  const unsigned* mine=data+((size_t)(blockIdx.x*WARPS+warp)<<13); // 32 KiB a warp
  int each=flight/WARPS>0?flight/WARPS:1; if(warp>=flight)return 0;
  for(int n=0;!*stop;n++){
    for(int u=0;u<each;u++){unsigned v;asm volatile("ld.global.cg.u32 %0,[%1];":"=r"(v):"l"(mine+((n*each+u)&255)*32+lane));acc+=v;}
    if(acc==0x12345)break;
  }
  return acc;
}
template<int U> __global__ void __cluster_dims__(RANKS,1,1) run(Plan plan,const unsigned* data,const unsigned* apart,unsigned* log,volatile Meeting* meeting,unsigned* sink){
  extern __shared__ __align__(1024) char room[];
  __shared__ long long at[64]; __shared__ volatile int stop; __shared__ long long start;
  cg::cluster_group cluster=cg::this_cluster();
  int rank=cluster.block_rank(),warp=threadIdx.x>>5,lane=threadIdx.x&31;
  bool first=blockIdx.x<RANKS; unsigned acc=0; int id=first?rank:RANKS+rank;
  if(threadIdx.x==0)stop=0;
  for(int n=0;n<64;n++){cluster.sync();if(threadIdx.x==0)at[n]=clock64();}
  cluster.sync();
  if(threadIdx.x==0){ // offset: median over the barriers of own clock minus the first SM's
    long long* other=cluster.map_shared_rank(at,0); long long d[63];
    for(int n=1;n<64;n++){long long v=at[n]-other[n];int k=n-1;while(k>0&&d[k-1]>v){d[k]=d[k-1];k--;}d[k]=v;}
    start=d[31]; if(first){log[rank]=smid();log[RANKS+rank]=(unsigned)d[31];log[2*RANKS+rank]=(unsigned)(d[62]-d[0]);}
  }
  cluster.sync();
  if(rank==0&&threadIdx.x==0){
    at[0]=clock64()+20000;
    if(gridDim.x>RANKS){ // two groups have two clocks: both look at them at the same tick
      if(first){while(!meeting->ready);meeting->when=tick()+20000;__threadfence();meeting->known=1;}
      else{meeting->ready=1;while(!meeting->known);}
      while(tick()<meeting->when);
      long long c=clock64();
      if(first){meeting->clock=c;at[0]=meeting->start=c+100000;__threadfence();meeting->known=2;}
      else{while(meeting->known<2);at[0]=meeting->start+c-meeting->clock;}
    }
  }
  cluster.sync();
  if(threadIdx.x==0)start+=*cluster.map_shared_rank(at,0);
  cluster.sync();
  bool shoots=plan.shot[id][0].kind>=0||plan.shot[id][1].kind>=0;
  if(shoots&&warp<2&&plan.shot[id][warp].kind>=0){
    Shot s=plan.shot[id][warp]; unsigned* mine=log+64+(id*2+warp)*MOST*2;
    for(int p=0;p<plan.phases;p++){
      long long due=start+(long long)p*plan.interval+s.delay;
      while(clock64()<due);
      long long c=clock64(); acc+=shoot<U>(s,data+(size_t)(plan.again?p%plan.again:p)*U*32*STEP,room+warp*16384);
      if(acc==0x12345)sink[rank]=acc;
      long long e=clock64();
      if(lane==0){mine[2*p]=(unsigned)(c-due+s.delay);mine[2*p+1]=(unsigned)(e-c);}
      __syncwarp();
    }
  }
  if(first&&rank==0&&warp==2)while(clock64()<start+(long long)plan.phases*plan.interval);
  if(!shoots&&first&&plan.background&&rank){
    acc+=stream(apart,plan.background,&stop);
  }
  if(first){ // the first cluster ends by the clock and tells its blocks
    if(rank==0){__syncthreads();if(threadIdx.x<RANKS)*cluster.map_shared_rank((int*)&stop,threadIdx.x)=1;}
  }
  if(acc==0x12345)sink[rank]=acc;
  cluster.sync();
}
__global__ void scribble(unsigned* data,size_t words){
  for(size_t i=(size_t)blockIdx.x*blockDim.x+threadIdx.x;i<words;i+=(size_t)gridDim.x*blockDim.x)data[i]=0;
}
__global__ void touch(const unsigned* data,size_t lines,size_t turn,unsigned* sink){
  unsigned acc=0; size_t warps=(size_t)gridDim.x*blockDim.x/32,w=((size_t)blockIdx.x*blockDim.x+threadIdx.x)/32;
  for(size_t i=(w+turn*blockDim.x/32)%warps;i<lines;i+=warps){unsigned v;asm volatile("ld.global.cg.u32 %0,[%1];":"=r"(v):"l"(data+i*32+(threadIdx.x&31)));acc+=v;}
  if(acc==0x12345)sink[0]=acc;
}
template<int U> void launch(const Plan& p,const unsigned* data,const unsigned* apart,unsigned* log,Meeting* meeting,unsigned* sink){
  bool two=false; for(int r=RANKS;r<2*RANKS;r++)two|=p.shot[r][0].kind>=0;
  int bytes=180*1024; auto f=run<U>;
  CK(cudaFuncSetAttribute(f,cudaFuncAttributeMaxDynamicSharedMemorySize,bytes));
  CK(cudaFuncSetAttribute(f,cudaFuncAttributeNonPortableClusterSizeAllowed,1));
  f<<<two?2*RANKS:RANKS,WARPS*32,bytes>>>(p,data,apart,log,meeting,sink); CK(cudaGetLastError());
}
int main(int argc,char**argv){
  std::ifstream list(argv[1]); FILE* out=fopen(argv[2],"wb"); bool warmOnly=atoi(argv[3]);
  const size_t N=2048ull<<20; char* memory; unsigned *log,*sink,*apart; size_t used=0;
  const size_t LOG=64+2*RANKS*2*MOST*2; Meeting* meeting;
  CK(cudaMalloc(&memory,N));CK(cudaMemset(memory,0,N));CK(cudaMalloc(&log,LOG*4));CK(cudaMalloc(&sink,4096));
  CK(cudaMalloc(&meeting,sizeof(Meeting)));
  CK(cudaMalloc(&apart,64<<20));CK(cudaMemset(apart,0,64<<20));
  std::string text;
  while(std::getline(list,text)){
    std::istringstream in(text); std::string label,temperature,word; int U; Plan p; memset(&p,-1,sizeof p);
    in>>label>>temperature>>U>>p.phases>>p.interval>>p.background>>p.again;
    while(in>>word){int r,w,k,m,d;sscanf(word.c_str(),"%d:%d:%d:%i:%d",&r,&w,&k,&m,&d);p.shot[r][w]=Shot{k,m,d};}
    bool warm=temperature!="cold"; if(warm!=warmOnly)continue;
    std::string before=temperature=="cold"?"MS":temperature=="warm"?"TMS":temperature;
    size_t bytes=(size_t)p.phases*U*128*STEP; if(used+bytes>N)used=0;
    unsigned* data=(unsigned*)(memory+used); used+=bytes;
    auto go=[&]{
      if(U==1)launch<1>(p,data,apart,log,meeting,sink);
      if(U==4)launch<4>(p,data,apart,log,meeting,sink);
      if(U==16)launch<16>(p,data,apart,log,meeting,sink);
      if(U==64)launch<64>(p,data,apart,log,meeting,sink);
    };
    auto others=[&]{for(int turn=0;turn<4;turn++)touch<<<264,1024>>>(apart,(size_t)RANKS*WARPS*256,turn*41,sink);};
    if(warm&&p.background)others();
    for(char what:before){
      if(what=='T')for(int turn=0;turn<8;turn++)touch<<<264,1024>>>(data,bytes/128,turn*41,sink);
      if(what=='t')touch<<<264,1024>>>(data,bytes/128,0,sink);
      if(what=='W')scribble<<<264,256>>>(data,bytes/4);
      if(what=='H'){std::vector<char>zeros(bytes);CK(cudaMemcpy(data,zeros.data(),bytes,cudaMemcpyHostToDevice));}
      if(what=='R')go();
      if(what=='A')others();
      if(what=='M'){CK(cudaMemset(log,0,LOG*4));CK(cudaMemset(meeting,0,sizeof(Meeting)));}
      if(what=='S')CK(cudaDeviceSynchronize());
    }
    cudaProfilerStart();
    go();
    CK(cudaDeviceSynchronize());cudaProfilerStop();
    std::vector<unsigned>h(LOG);CK(cudaMemcpy(h.data(),log,LOG*4,cudaMemcpyDeviceToHost));
    fprintf(out,"%s\n",label.c_str());for(int i=0;i<48;i++)fprintf(out,"%d ",(int)h[i]);fprintf(out,"\n");
    for(int r=0;r<2*RANKS;r++)for(int w=0;w<2;w++)if(p.shot[r][w].kind>=0){
      fprintf(out,"%d:%d",r,w);for(int i=0;i<2*p.phases;i++)fprintf(out," %d",(int)h[64+(r*2+w)*MOST*2+i]);fprintf(out,"\n");}
  }
  fclose(out); return 0;
}
