// A step of an LSTM after its products: four gates and the old cell in, the new cell and output out.

__device__ float sigmoid(float x) { return 1 / (1 + __expf(-x)); }

extern "C" __global__ void lstm_cell(const float* __restrict__ gates, const float* __restrict__ bias,
                                     float* __restrict__ cell, float* __restrict__ out, int rows, int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * width) return;
    const int row = i / width, column = i - row * width;
    const float* gate = gates + (size_t)row * 4 * width + column;
    const float in = sigmoid(gate[0] + bias[column]);
    const float forget = sigmoid(gate[width] + bias[width + column]);
    const float next = tanhf(gate[2 * width] + bias[2 * width + column]);
    const float show = sigmoid(gate[3 * width] + bias[3 * width + column]);
    const float state = forget * cell[i] + in * next;
    cell[i] = state;
    out[i] = show * tanhf(state);
}
