// register_tiling_gemm without bank conflicts in shared memory.
// Shows: what does cure them. A thread's eight columns become two groups of four, 64 apart, so
// eight neighbouring lanes read 128 consecutive bytes of Bs. As is kept transposed, so a thread's
// eight rows are two 16-byte broadcasts; 4 words behind each of its rows spread the copy's stores
// (8 columns of A by 4 rows a warp) over all 32 banks and keep the rows on 16 bytes.

constexpr int BM = 128;
constexpr int BN = 128;
constexpr int BK = 8;
constexpr int TM = 8;
constexpr int TN = 8;
constexpr int PAD = 4;
constexpr int HALF = BN / 2;

extern "C" __global__ void register_tiling_cured(const float* A, const float* B, float* C,
                                                 int m, int n, int k)
{
    __shared__ __align__(16) float As[BK][BM + PAD];
    __shared__ __align__(16) float Bs[BK][BN];

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

    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int r = a_row; r < BM; r += a_stride) {
            int row = block_row + r;
            int col = k0 + a_col;
            As[a_col][r] = (row < m && col < k) ? A[row * k + col] : 0.0f;
        }
        for (int r = b_row; r < BK; r += b_stride) {
            int row = k0 + r;
            int col = block_col + b_col;
            Bs[r][b_col] = (row < k && col < n) ? B[row * n + col] : 0.0f;
        }
        __syncthreads();

        for (int dot = 0; dot < BK; ++dot) {
            float4 a0 = *reinterpret_cast<const float4*>(&As[dot][TM * tr]);
            float4 a1 = *reinterpret_cast<const float4*>(&As[dot][TM * tr + 4]);
            float4 b0 = *reinterpret_cast<const float4*>(&Bs[dot][4 * tc]);
            float4 b1 = *reinterpret_cast<const float4*>(&Bs[dot][4 * tc + HALF]);
            float regA[TM] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
            float regB[TN] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    acc[i][j] = fmaf(regA[i], regB[j], acc[i][j]);
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) {
            int row = block_row + TM * tr + i;
            int col = block_col + 4 * tc + (j / 4) * HALF + j % 4;
            if (row < m && col < n)
                C[row * n + col] = acc[i][j];
        }
    }
}
