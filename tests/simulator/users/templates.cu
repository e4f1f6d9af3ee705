// Templates as users write them; apart, as each instance is a compilation, here without headers.
template <typename T, int N>
struct Vector {
    T v[N];
    __device__ T dot(const Vector& o) const {
        T s = 0;
#pragma unroll
        for (int i = 0; i < N; ++i) s += v[i] * o.v[i];
        return s;
    }
};

template <typename T, typename F>
__device__ void for_each(T* p, int n, F f) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) f(p[i], i);
}

template <typename T, int N>
__device__ void neighbours(const T* a, T* out, int n) {
    const auto* vectors = reinterpret_cast<const Vector<T, N>*>(a);
    for_each(out, n, [=](T& o, int i) { o = vectors[i].dot(vectors[(i + 1) % n]); });
}
template <typename T, int N>
__global__ void templated(const T* a, T* out, int n) {
    neighbours<T, N>(a, out, n);
}
extern "C" __global__ void triples(const double* a, double* out, int n) { neighbours<double, 3>(a, out, n); }
