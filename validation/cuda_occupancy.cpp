// Asks the CUDA toolkit's occupancy header about one launch a line of standard input; see
// cuda_occupancy.py for the columns.
#include <climits>
#include <cstdio>
#include <cuda_occupancy.h>

int main() {
    int major, minor, warps, multiprocessors, shared, block_shared, reserved;
    int threads, registers, bytes, barriers;
    while (scanf("%d %d %d %d %d %d %d %d %d %d %d", &major, &minor, &warps, &multiprocessors,
                 &shared, &block_shared, &reserved, &threads, &registers, &bytes, &barriers) == 11) {
        cudaOccDeviceProp device;
        device.computeMajor = major;
        device.computeMinor = minor;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = 32 * warps;
        device.regsPerBlock = device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = 49152;
        device.sharedMemPerMultiprocessor = shared;
        device.sharedMemPerBlockOptin = block_shared;
        device.reservedSharedMemPerBlock = reserved;
        device.numSms = multiprocessors;
        cudaOccFuncAttributes kernel;
        kernel.maxThreadsPerBlock = INT_MAX;
        kernel.numRegs = registers;
        kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        kernel.maxDynamicSharedSizeBytes = block_shared;
        kernel.numBlockBarriers = barriers;
        cudaOccDeviceState state;
        cudaOccResult found;
        const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
            &found, &device, &kernel, &state, threads, bytes);
        if (error != CUDA_OCC_SUCCESS) found.activeBlocksPerMultiprocessor = 0;
        printf("%d %d %d %d %d %d\n", found.activeBlocksPerMultiprocessor, found.blockLimitRegs,
               found.blockLimitWarps, found.blockLimitBlocks, found.blockLimitBarriers,
               (int)found.allocatedSharedMemPerBlock);
    }
}
