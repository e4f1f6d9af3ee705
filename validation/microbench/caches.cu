// Where blocks run, which loads of several SMs reach L2 as one, and how much L1 and L2 hold.
//
// nvcc -O1 -std=c++17 -arch=sm_90 caches.cu -o caches
// ./caches place                      the SM of every block of some launches
// ncu --profile-from-start off --metrics METRICS ./caches MODE WARM [SM ...]
//   burst, delay, stream  SMs of a list load the same sectors: all at once, the last SM late by
//                         -1800 to 1800 cycles, a long stream. lts__t_sectors_srcunit_tex_op_read
//   tiles                 tile loops of several shapes (the lateness of requests was fitted to them)
//   l1                    footprints and strides in L1. ..._global_op_ld_lookup_hit
//   l2read, l2shared, l2write, l2partial   footprints in L2, read by the same SMs or by all. dram__bytes_read, dram__bytes_write
// WARM 1 has the sectors in L2 before (with --cache-control none), 0 does not (all).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>
#define CK(x) do{cudaError_t e=(x);if(e!=cudaSuccess){printf("ERR %s line %d\n",cudaGetErrorString(e),__LINE__);exit(1);}}while(0)
__device__ __forceinline__ unsigned smid(){unsigned r;asm volatile("mov.u32 %0,%%smid;":"=r"(r));return r;}
__device__ __forceinline__ unsigned long long gt(){unsigned long long r;asm volatile("mov.u64 %0,%%globaltimer;":"=l"(r));return r;}
__global__ void place(unsigned* sm, unsigned long long* t, int spin){
  extern __shared__ char s[];
  unsigned b=blockIdx.x+gridDim.x*blockIdx.y;
  if(threadIdx.x==0&&threadIdx.y==0){sm[b]=smid();t[b]=gt();}
  long long c=clock64(); while(clock64()-c<spin);
}
struct Set{unsigned mask[5];int count;int lateSm;int delay;};
// every SM of the set, phase by phase: W warps load U lines each, the same lines in every SM
template<int U> __global__ void burst(Set q,int n,unsigned* bar,const unsigned* data,unsigned* sink,int wide){
  unsigned s=smid(); if(!(q.mask[s>>5]>>(s&31)&1))return;
  unsigned acc=0; int W=blockDim.x>>5,w=threadIdx.x>>5,l=threadIdx.x&31;
  for(int p=0;p<n;p++){
    __syncthreads();
    if(threadIdx.x==0){
      atomicAdd(&bar[p*32],1u);
      while(atomicAdd(&bar[p*32],0u)<q.count);
      if((int)s==q.lateSm&&q.delay>0||(int)s!=q.lateSm&&q.delay<0){long long c=clock64();int d=q.delay<0?-q.delay:q.delay;while(clock64()-c<d);}
    }
    __syncthreads();
    unsigned v[U];
    #pragma unroll
    for(int u=0;u<U;u++){
      const unsigned* a=wide? data+((size_t)(p*U+u)*W+w)*32+l : data+(((size_t)(p*U+u)*W+w)*32+l)*32;
      asm volatile("ld.global.ca.u32 %0,[%1];":"=r"(v[u]):"l"(a));
    }
    #pragma unroll
    for(int u=0;u<U;u++)acc+=v[u];
    if(acc==0x12345)sink[s]=acc;
  }
}
__global__ void touch(const char* data,size_t n,unsigned* sink){
  unsigned acc=0;
  for(size_t i=blockIdx.x*(size_t)blockDim.x+threadIdx.x;i*16<n;i+=(size_t)gridDim.x*blockDim.x){uint4 v=((const uint4*)data)[i];acc+=v.x^v.y^v.z^v.w;}
  if(acc==0x12345)sink[0]=acc;
}
__global__ void turned(const char* data,size_t n,int turn,unsigned* sink){ // touch from other SMs each turn
  unsigned acc=0; size_t block=(blockIdx.x+turn)%gridDim.x;
  for(size_t i=block*blockDim.x+threadIdx.x;i*16<n;i+=(size_t)gridDim.x*blockDim.x){uint4 v=((const uint4*)data)[i];acc+=v.x^v.y^v.z^v.w;}
  if(acc==0x12345)sink[0]=acc;
}
__global__ void fill(char* data,size_t n){
  for(size_t i=blockIdx.x*(size_t)blockDim.x+threadIdx.x;i*16<n;i+=(size_t)gridDim.x*blockDim.x)((uint4*)data)[i]=make_uint4(1,2,3,i);
}
__global__ void partial(unsigned* data,size_t n,int step){ // one word of every step words
  for(size_t i=blockIdx.x*(size_t)blockDim.x+threadIdx.x;i<n;i+=(size_t)gridDim.x*blockDim.x)data[i*step]=i;
}
__global__ void stream(Set q,unsigned* bar,const uint4* data,int n,unsigned* sink,int step){
  unsigned s=smid(); if(!(q.mask[s>>5]>>(s&31)&1))return;
  if(threadIdx.x==0){atomicAdd(bar,1u);while(atomicAdd(bar,0u)<q.count);}
  __syncthreads();
  unsigned acc=0;
  for(int i=threadIdx.x;i<n;i+=blockDim.x){uint4 v=data[i];acc+=v.x^v.y^v.z^v.w; if(step)__syncthreads();}
  if(acc==0x12345)sink[s]=acc;
}
// tile loop: A tile by row of blocks, B tile by column, then some arithmetic
template<int T,int C> __global__ void tiles(const float* a,const float* b,float* o,int n){
  __shared__ float s[T][T+1],t[T][T+1];
  int x=threadIdx.x,y=threadIdx.y,col=blockIdx.x*T+x,row=blockIdx.y*T+y;float acc=0;
  for(int k=0;k<n;k+=T){
    s[y][x]=a[row*n+k+x];t[y][x]=b[(k+y)*n+col];__syncthreads();
    #pragma unroll 8
    for(int c=0;c<C;c++)acc=acc*1.0001f+s[y][c%T]*t[c%T][x];
    __syncthreads();
  }
  o[row*n+col]=acc;
}
__global__ void l1sweep(const unsigned* d,int lines,int stride,unsigned* sink,int passes){
  unsigned acc=0;
  for(int p=0;p<passes;p++){for(int i=threadIdx.x/32;i<lines;i+=blockDim.x/32){unsigned v;asm volatile("ld.global.ca.u32 %0,[%1];":"=r"(v):"l"(d+(size_t)i*(stride/4)+(threadIdx.x&31)));acc+=v;}__syncthreads();}
  if(acc==0x12345)sink[0]=acc;
}
static Set mk(std::vector<int> sms,int late=-1,int delay=0){Set q;memset(&q,0,sizeof q);for(int s:sms)q.mask[s>>5]|=1u<<(s&31);q.count=sms.size();q.lateSm=late;q.delay=delay;return q;}
#define PROF(x) do{CK(cudaDeviceSynchronize());cudaProfilerStart();x;CK(cudaDeviceSynchronize());cudaProfilerStop();}while(0)
int main(int argc,char**argv){
  unsigned *bar,*sink;char*data;size_t N=1024ull<<20;const char*mode=argv[1];
  CK(cudaMalloc(&bar,1<<20));CK(cudaMalloc(&sink,4096));CK(cudaMalloc(&data,N));CK(cudaMemset(data,0,N));
  int big=200*1024;
  CK(cudaFuncSetAttribute(burst<1>,cudaFuncAttributeMaxDynamicSharedMemorySize,big));
  CK(cudaFuncSetAttribute(burst<4>,cudaFuncAttributeMaxDynamicSharedMemorySize,big));
  CK(cudaFuncSetAttribute(burst<16>,cudaFuncAttributeMaxDynamicSharedMemorySize,big));
  CK(cudaFuncSetAttribute(stream,cudaFuncAttributeMaxDynamicSharedMemorySize,big));
  int warm=argc>2?atoi(argv[2]):0; std::vector<int>s;for(int i=3;i<argc;i++)s.push_back(atoi(argv[i]));
  auto prep=[&](size_t bytes){CK(cudaMemset(bar,0,1<<20));if(warm)touch<<<264,1024>>>(data,bytes,sink);};
  if(!strcmp(mode,"place")){
    int shapes[][2]={{4,1024},{16,1024},{16,256},{132,1024},{1024,1024},{2048,256},{1024,512},{700,64}};
    for(auto&c:shapes){unsigned*sm=bar;unsigned long long*t=(unsigned long long*)data;
      place<<<c[0],c[1]>>>(sm,t,20000);CK(cudaDeviceSynchronize());
      std::vector<unsigned>h(c[0]);CK(cudaMemcpy(h.data(),sm,c[0]*4,cudaMemcpyDeviceToHost));
      printf("%d blocks of %d threads:",c[0],c[1]);for(unsigned x:h)printf(" %u",x);printf("\n");}
  }
  if(!strcmp(mode,"delay"))for(int d=-1800;d<=1800;d+=150){prep(96*4096);PROF((burst<1><<<132,32,big>>>(mk(s,s.back(),d),96,bar,(unsigned*)data,sink,0)));}
  if(!strcmp(mode,"burst"))for(int u:{1,4,16})for(int w:{1,4,16,32}){
    prep((size_t)24*u*w*128); Set q=mk(s);
    if(u==1)PROF((burst<1><<<132,w*32,big>>>(q,24,bar,(unsigned*)data,sink,1)));
    if(u==4)PROF((burst<4><<<132,w*32,big>>>(q,24,bar,(unsigned*)data,sink,1)));
    if(u==16)PROF((burst<16><<<132,w*32,big>>>(q,24,bar,(unsigned*)data,sink,1)));}
  if(!strcmp(mode,"stream"))for(int w:{1,8,32})for(int st:{0,1}){int n=(4<<20)/16;prep(4<<20);PROF((stream<<<132,w*32,big>>>(mk(s),bar,(uint4*)data,n,sink,st)));}
  if(!strcmp(mode,"tiles")){float*f=(float*)data;float*o=f+(64<<20);
    for(int n:{768,1536}){size_t m=(size_t)n*n;float*b=f+m;
    PROF((tiles<32,32><<<dim3(n/32,n/32),dim3(32,32)>>>(f,b,o,n)));
    PROF((tiles<32,128><<<dim3(n/32,n/32),dim3(32,32)>>>(f,b,o,n)));
    PROF((tiles<32,8><<<dim3(n/32,n/32),dim3(32,32)>>>(f,b,o,n)));
    PROF((tiles<16,16><<<dim3(n/16,n/16),dim3(16,16)>>>(f,b,o,n)));
    PROF((tiles<16,64><<<dim3(n/16,n/16),dim3(16,16)>>>(f,b,o,n)));}
  }
  if(!strcmp(mode,"l1")){
    for(int c:{0,14,28,57}){CK(cudaFuncSetAttribute(l1sweep,cudaFuncAttributePreferredSharedMemoryCarveout,c));
    for(int kb:{80,112,144,160,176,184,192,200,208,216,220,224,232,240,248})PROF((l1sweep<<<1,128>>>((unsigned*)data,kb*8,128,sink,3)));}
    CK(cudaFuncSetAttribute(l1sweep,cudaFuncAttributePreferredSharedMemoryCarveout,14));
    for(int st:{512,4096,8192,65536,1<<20})for(int n:{64,256,512,1024})if((size_t)st*n<=N)PROF((l1sweep<<<1,128>>>((unsigned*)data,n,st,sink,3)));
  }
  if(!strcmp(mode,"l2read"))for(int mb:{8,16,20,24,28,32,36,40,48,56,64}){size_t b=(size_t)mb<<20;touch<<<264,1024>>>(data+(512<<20),200<<20,sink);touch<<<264,1024>>>(data,b,sink);touch<<<264,1024>>>(data,b,sink);PROF((touch<<<264,1024>>>(data,b,sink)));}
  if(!strcmp(mode,"l2shared"))for(int mb:{16,20,24,26,28,30,32,36,40,48}){size_t b=(size_t)mb<<20;touch<<<264,1024>>>(data+(512<<20),200<<20,sink);for(int n=0;n<12;n++)turned<<<264,1024>>>(data,b,n*37,sink);PROF((turned<<<264,1024>>>(data,b,12*37,sink)));}
  if(!strcmp(mode,"l2write"))for(int mb:{4,8,12,16,20,24,28,32,40,48,64,96}){size_t b=(size_t)mb<<20;PROF((fill<<<264,1024>>>(data,b)));}
  if(!strcmp(mode,"l2partial"))for(int step:{2,8})for(int mb:{2,8,16,32,64}){size_t b=(size_t)mb<<20;PROF((partial<<<264,1024>>>((unsigned*)data,b/4/step,step)));}
  return 0;
}
