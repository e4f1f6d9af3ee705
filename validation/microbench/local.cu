// What L1 holds of local memory: stores and loads of arrays indexed at run time, by ways of taking turns.
//
// nvcc -O2 -std=c++17 -arch=sm_90 local.cu -o local
// ncu --profile-from-start off --cache-control none --metrics METRICS ./local LIST
//
// LIST has a launch a line: label way words blocks warps turns stream
// way     0 all lanes store one word after the other, then load them, turn after turn
//         1 lanes are at words of their own (lane + turn), all of which are stored before
//         2 half of the lanes store a word and load it, then the other half
//         3 a word is loaded and stored to the next one, as when an array is sorted
//         4 as 3, by lanes that stop after one, two, three ... words
// words   of the array, blocks of so many warps on each of 132 SMs
// stream  lines of global memory that every warp loads after each turn, which nobody loads again
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e=(x);if(e!=cudaSuccess){printf("ERR %s line %d\n",cudaGetErrorString(e),__LINE__);exit(1);}}while(0)
template<int WORDS> __global__ void run(int way,int turns,int stream,const unsigned* data,unsigned* out,unsigned zero){
  unsigned a[WORDS],acc=0; int lane=threadIdx.x&31; size_t warp=((size_t)blockIdx.x*blockDim.x+threadIdx.x)>>5;
  // ``zero`` is 0, which the compiler does not know: words keep their place in local memory
  if(way!=2)
    #pragma unroll 1
    for(int w=0;w<WORDS;w++)a[(w+zero)%WORDS]=w;
  #pragma unroll 1
  for(int t=0;t<turns;t++){
    if(way==0)
      #pragma unroll 1
      for(int w=0;w<WORDS;w++)acc+=a[(w+zero)%WORDS];
    if(way==1)
      #pragma unroll 1
      for(int w=0;w<WORDS;w++)acc+=a[(w+lane+zero)%WORDS];
    if(way==2)
      #pragma unroll 1
      for(int w=0;w<WORDS;w++){
        if(lane<16){a[(w+zero)%WORDS]=acc+w;acc+=a[(w+2*zero)%WORDS];}
        __syncwarp();
        if(lane>=16){a[(w+zero)%WORDS]=acc+w;acc+=a[(w+2*zero)%WORDS];}
        __syncwarp();
      }
    if(way==3)
      #pragma unroll 1
      for(int w=WORDS-1;w>0;w--)a[(w+zero)%WORDS]=a[(w-1+zero)%WORDS]+1;
    if(way==4)
      #pragma unroll 1
      for(int w=WORDS-1;w>0&&w>(lane*7+t*3)%WORDS;w--)a[(w+zero)%WORDS]=a[(w-1+zero)%WORDS]+1;
    #pragma unroll 1
    for(int s=0;s<stream;s++)acc+=data[(((size_t)t*stream+s)*gridDim.x*(blockDim.x/32)+warp)*32+lane];
  }
  for(int w=0;w<WORDS&&acc==0x12345;w++)out[w]=a[(w+zero)%WORDS];
}
template<int WORDS> void launch(int way,int blocks,int warps,int turns,int stream,const unsigned* data,unsigned* out){
  CK(cudaFuncSetAttribute(run<WORDS>,cudaFuncAttributePreferredSharedMemoryCarveout,0));
  cudaProfilerStart();
  run<WORDS><<<132*blocks,warps*32>>>(way,turns,stream,data,out,0);
  CK(cudaGetLastError());CK(cudaDeviceSynchronize());cudaProfilerStop();
}
int main(int,char**argv){
  std::ifstream list(argv[1]); unsigned *data,*out; CK(cudaMalloc(&data,2048ull<<20));CK(cudaMalloc(&out,4096));
  std::string text;
  while(std::getline(list,text)){
    std::istringstream in(text); std::string label; int way,words,blocks,warps,turns,stream;
    in>>label>>way>>words>>blocks>>warps>>turns>>stream;
    if(words==4)launch<4>(way,blocks,warps,turns,stream,data,out);
    if(words==16)launch<16>(way,blocks,warps,turns,stream,data,out);
    if(words==24)launch<24>(way,blocks,warps,turns,stream,data,out);
    if(words==64)launch<64>(way,blocks,warps,turns,stream,data,out);
  }
  return 0;
}
