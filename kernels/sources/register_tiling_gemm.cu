// 8x8 neighbouring outputs a thread from a 128x128 block tile with K step 8.
// Shows: 16 shared elements feed 64 multiply-adds, but the patches are contiguous: neighbouring
// lanes read Bs eight words apart, and the two rows of As that a warp reads lie in one bank, so
// both conflict. The copy strides come from blockDim.x and are known at run time only.

constexpr int BM = 128;
constexpr int BN = 128;
constexpr int BK = 8;
constexpr int TM = 8;
constexpr int TN = 8;

extern "C" __global__ void register_tiling_gemm(const float* A, const float* B, float* C,
                                                int m, int n, int k)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];

    int tid = threadIdx.x;
    int tr = tid / (BN / TN);
    int tc = tid % (BN / TN);
    int block_row = blockIdx.y * BM;
    int block_col = blockIdx.x * BN;

    int a_row = tid / BK;
    int a_col = tid % BK;
    int a_stride = blockDim.x / BK;
    int b_row = tid / BN;
    int b_col = tid % BN;
    int b_stride = blockDim.x / BN;

    float acc[TM][TN];
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j)
            acc[i][j] = 0.0f;
    float regA[TM];
    float regB[TN];

    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int r = a_row; r < BM; r += a_stride) {
            int row = block_row + r;
            int col = k0 + a_col;
            As[r][a_col] = (row < m && col < k) ? A[row * k + col] : 0.0f;
        }
        for (int r = b_row; r < BK; r += b_stride) {
            int row = k0 + r;
            int col = block_col + b_col;
            Bs[r][b_col] = (row < k && col < n) ? B[row * n + col] : 0.0f;
        }
        __syncthreads();

        for (int dot = 0; dot < BK; ++dot) {
            for (int i = 0; i < TM; ++i)
                regA[i] = As[TM * tr + i][dot];
            for (int j = 0; j < TN; ++j)
                regB[j] = Bs[dot][TN * tc + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    acc[i][j] = fmaf(regA[i], regB[j], acc[i][j]);
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) {
            int row = block_row + TM * tr + i;
            int col = block_col + TN * tc + j;
            if (row < m && col < n)
                C[row * n + col] = acc[i][j];
        }
    }
}
