// Minima and maxima of sums and of three, whole and by halves: one instruction each from sm_90 on.
typedef unsigned int u32;

extern "C" __global__ void whole(const int* a, const int* b, const int* c, int* out, int n) {
    int i = threadIdx.x;
    int x = a[i], y = b[i], z = c[i];
    bool first, last;
    out[i] = __viaddmax_s32(x, y, z);
    out[n + i] = __viaddmin_s32_relu(x, y, z);
    out[2 * n + i] = __viaddmax_s32_relu(x, y, z);
    out[3 * n + i] = __viaddmin_u32(x, y, z);
    out[4 * n + i] = __vimax3_s32_relu(x, y, z);
    out[5 * n + i] = __vimin3_s32(x, y, z);
    out[6 * n + i] = __vimax3_u32(x, y, z);
    out[7 * n + i] = __vimax_s32_relu(x, y);
    out[8 * n + i] = __vibmax_s32(x, y, &first) * 3 + first;
    out[9 * n + i] = __vibmin_u32(x, y, &last) * 3 + last;
}

extern "C" __global__ void halves(const u32* a, const u32* b, const u32* c, u32* out, int n) {
    int i = threadIdx.x;
    u32 x = a[i], y = b[i], z = c[i];
    bool high, low;
    out[i] = __viaddmax_s16x2(x, y, z);
    out[n + i] = __viaddmin_s16x2_relu(x, y, z);
    out[2 * n + i] = __viaddmax_u16x2(x, y, z);
    out[3 * n + i] = __vimax3_s16x2_relu(x, y, z);
    out[4 * n + i] = __vimin3_s16x2(x, y, z);
    out[5 * n + i] = __vimin3_u16x2(x, y, z);
    out[6 * n + i] = __vimin_s16x2_relu(x, y);
    out[7 * n + i] = __vibmax_s16x2(x, y, &high, &low);
    out[8 * n + i] = high + 2 * low;
    out[9 * n + i] = __vibmin_u16x2(x, y, &high, &low);
    out[10 * n + i] = high + 2 * low;
}
