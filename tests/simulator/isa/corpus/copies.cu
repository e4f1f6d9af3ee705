// Asynchronous copies to shared memory and accesses of every width.
__device__ unsigned shared_address(void* p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void copies(float* a, float* o)
{
    extern __shared__ float s[];
    int i = threadIdx.x;
    unsigned p = shared_address(s + i * 4);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(p), "l"(a + i));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(p + 2048), "l"(a + i * 2));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(p + 8192), "l"(a + i * 4 + 128));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(p + 8192), "l"(a + i * 4),
                 "r"(i & 15));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    reinterpret_cast<float4*>(o)[i] = reinterpret_cast<float4*>(s)[i * 2];
    reinterpret_cast<float2*>(o)[i + 2048] = reinterpret_cast<float2*>(s)[i + 32];
    reinterpret_cast<char*>(s)[i] = 1;
    o[0] = reinterpret_cast<signed char*>(s)[3] + reinterpret_cast<unsigned short*>(s)[9];
}
