"""Do blocks and grids of any shape run, with the right indices, and what a launch may carry?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simulator as sm
from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.errors import ArgumentError
from tests.simulator.replaying import ARCHITECTURES, each_architecture, replay, zeros

SOURCE = """
struct Pair { short a; double b; };
struct Tail { char text[3]; int4 v; Pair pair; };

extern "C" __global__ void indices(int* out) {
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int* o = out + 12 * (block * blockDim.x * blockDim.y * blockDim.z + thread);
    o[0] += threadIdx.x; o[1] += threadIdx.y; o[2] += threadIdx.z;
    o[3] += blockIdx.x; o[4] += blockIdx.y; o[5] += blockIdx.z;
    o[6] += blockDim.x; o[7] += blockDim.y; o[8] += blockDim.z;
    o[9] += gridDim.x; o[10] += gridDim.y; o[11] += gridDim.z;
}

extern "C" __global__ void by_value(Tail t, char c, float f, double* out, short s) {
    out[0] = t.text[2]; out[1] = t.v.w; out[2] = t.pair.a; out[3] = t.pair.b;
    out[4] = c; out[5] = f; out[6] = s;
}

template <class T> __device__ void copy(const T* a, T* out) {
    __shared__ T s[40];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    out[t] = s[blockDim.x - 1 - t];
}
extern "C" __global__ void copy_i8(const char* a, char* o) { copy(a, o); }
extern "C" __global__ void copy_i16(const short* a, short* o) { copy(a, o); }
extern "C" __global__ void copy_f32(const float* a, float* o) { copy(a, o); }
extern "C" __global__ void copy_i64(const long long* a, long long* o) { copy(a, o); }
extern "C" __global__ void copy_f64(const double* a, double* o) { copy(a, o); }
extern "C" __global__ void copy_f32x4(const float4* a, float4* o) {
    __shared__ float4 s[40];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    float4 v = s[blockDim.x - 1 - t];
    o[t] = make_float4(v.w, v.y, v.z, v.x);
}

extern "C" __global__ void dynamic(int* out) {
    extern __shared__ int s[];
    __shared__ int fixed[32];
    int t = threadIdx.x;
    for (int k = t; k < 500; k += 32) s[k] = k;
    fixed[t] = -t;
    __syncthreads();
    out[t] = s[499 - t] + 1000 * fixed[31 - t];
}

__device__ int counter = 5;
__device__ float table[4] = {1.5f, 2.5f, 3.5f, 4.5f};
__device__ float* pointer = table + 1;
__constant__ double scale[3] = {0.5, -2.0, 8.0};

extern "C" __global__ void module_data(double* out) {
    if (threadIdx.x == 0) { counter += 7; table[3] = 0.25f; }
    __syncthreads();
    out[threadIdx.x] = *(volatile int*)&counter + pointer[threadIdx.x & 1] * scale[threadIdx.x % 3]
                     + *(volatile float*)&table[3];
}

extern "C" __global__ void work(const float* a, float* out, int n) {
    __shared__ float s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = i < n ? a[i] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k <= (t + blockIdx.x) % 64; ++k) sum += s[k * 5 % 64];
    if (i < n) out[i] = sum;
}
"""


@pytest.mark.parametrize("architecture", [*ARCHITECTURES, 120])
@pytest.mark.parametrize(
    ("grid", "block"),
    [((1,), (1,)), ((3,), (31,)), ((2, 2), (33,)), ((2, 3, 2), (5, 7, 3)), ((1, 4), (40, 25))],
)
def test_indices(architecture: int, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
    blocks, threads = int(np.prod(grid)), int(np.prod(block))
    out = zeros(blocks, threads, 12)
    run = replay(SOURCE, "indices", [out], grid=grid, block=block, architecture=architecture)
    gx, gy, gz = (*grid, 1, 1)[:3]
    bx, by, bz = (*block, 1, 1)[:3]
    t, b = np.meshgrid(np.arange(threads), np.arange(blocks))
    expected = [t % bx, t // bx % by, t // (bx * by), b % gx, b // gx % gy, b // (gx * gy)]
    sizes = [np.full_like(t, n) for n in (bx, by, bz, gx, gy, gz)]
    np.testing.assert_array_equal(run.outputs[0], np.stack([*expected, *sizes], axis=-1))
    assert run.findings == ()
    warps = -(-threads // 32) * blocks
    assert run.instructions[0].executed == warps
    assert run.instructions[0].thread_executed == threads * blocks
    assert not out.any()  # the caller's array


@each_architecture
def test_structures_and_small_types_by_value(architecture: int) -> None:
    pair = np.dtype([("a", "<i2"), ("b", "<f8")], align=True)
    tail = np.dtype({"names": ["text", "v", "pair"], "formats": ["(3,)i1", "(4,)<i4", pair],
                     "offsets": [0, 16, 32], "itemsize": 48})  # fmt: skip
    value = np.zeros((), tail)
    value["text"], value["v"], value["pair"] = [1, 2, -3], [4, 5, 6, -7], (-8, 9.25)
    args = [value[()], np.int8(-9), np.float32(1.5), zeros(7, dtype=np.float64), np.int16(-300)]
    run = replay(SOURCE, "by_value", args, block=1, architecture=architecture)
    assert run.outputs[3].tolist() == [-3, -7, -8, 9.25, -9, 1.5, -300]


@each_architecture
@pytest.mark.parametrize(
    ("kernel", "dtype"),
    [("copy_i8", "i1"), ("copy_i16", "<i2"), ("copy_f32", "<f4"), ("copy_i64", "<i8"),
     ("copy_f64", "<f8")],
)  # fmt: skip
def test_widths(architecture: int, kernel: str, dtype: str) -> None:
    random = np.random.default_rng(3)
    a = random.integers(-100, 100, 40).astype(dtype)
    run = replay(SOURCE, kernel, [a, np.zeros_like(a)], block=40, architecture=architecture)
    np.testing.assert_array_equal(run.outputs[1], a[::-1])


@each_architecture
def test_vectors(architecture: int) -> None:
    a = np.random.default_rng(4).random((40, 4), dtype=np.float32)
    args = [a, np.zeros_like(a)]
    run = replay(SOURCE, "copy_f32x4", args, block=40, architecture=architecture)
    np.testing.assert_array_equal(run.outputs[1], a[::-1][:, [3, 1, 2, 0]])
    assert any(i.sass.startswith("LDG.E.128") for i in run.instructions)


@each_architecture
def test_static_and_dynamic_shared_memory(architecture: int) -> None:
    run = replay(SOURCE, "dynamic", [zeros(32)], shared_bytes=2000, architecture=architecture)
    t = np.arange(32)
    assert run.outputs[0].tolist() == (499 - t - 1000 * (31 - t)).tolist()
    assert (run.static_shared_bytes, run.dynamic_shared_bytes) == (128, 2000)


@each_architecture
def test_module_data_starts_anew_with_every_launch(architecture: int) -> None:
    t = np.arange(32)
    scale = np.array([0.5, -2.0, 8.0])
    expected = 12 + np.array([2.5, 3.5])[t & 1] * scale[t % 3] + 0.25
    for _ in range(2):
        args = [zeros(32, dtype=np.float64)]
        run = replay(SOURCE, "module_data", args, architecture=architecture)
        np.testing.assert_array_equal(run.outputs[0], expected)


@pytest.mark.parametrize("workers", [2, 3, 7])
def test_workers_share_a_launch(workers: int) -> None:
    kernel = sm.compile_cuda(SOURCE, "work", "rtx4090")
    a = np.random.default_rng(5).random(1500, dtype=np.float32)
    args = [a, np.zeros_like(a), np.int32(1500)]
    alone, shared = (Launch(build_program(kernel), (24, 1, 1), (64, 1, 1), 0, args) for _ in "ab")
    one, many = alone.run(np.arange(24)), shared.run(np.arange(24), workers=workers)
    for name in ("executed", "thread_executed", "predicated_on"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name))
    np.testing.assert_array_equal(alone.outputs()[1], shared.outputs()[1])
    assert alone.outputs()[1].any()


BAD_ARGUMENTS: tuple[tuple[list[Any], str], ...] = (
    ([zeros(32)], "^1 argument .* takes 3 of 8, 8, 4 bytes"),
    ([zeros(32), zeros(32), np.int64(32)], "argument 2 .* int64 of 8 bytes.* has 4"),
    ([np.float32(1), zeros(32), np.int32(32)], "argument 0 .* float32 of 4 bytes.* has 8"),
    ([zeros(32), zeros(32), zeros(32)], "argument 2 .* a buffer of 8 bytes.* has 4"),
    ([zeros(32), zeros(32), [32]], "argument 2 is a list"),
    ([zeros(32), "x" * 2, np.int32(32)], "argument 1 is a str"),
    ([zeros(32), np.array([None]), np.int32(32)], "argument 1 has elements of type object"),
    ([zeros(32), zeros(32).astype(">i4"), np.int32(32)], "argument 1 has elements of type >i4"),
)


@pytest.mark.parametrize(("args", "message"), BAD_ARGUMENTS)
def test_arguments_that_do_not_fit(args: list[Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        replay(SOURCE, "work", args)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"block": 1025}, "1,025"),
        ({"block": (2, 2, 65)}, "65"),
        ({"grid": 0}, "must be one to three positive integers"),
        ({"grid": (1, 1, 1, 1)}, "must be one to three positive integers"),
        ({"shared_bytes": 200_000}, "shared"),
        ({"shared_bytes": -1}, "an integer from 0 on"),
        ({"blocks": 0}, "'auto', 'all' or a positive number"),
        ({"blocks": "most"}, "'auto', 'all' or a positive number"),
    ],
)
def test_launches_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    args = [zeros(32, dtype=np.float32), zeros(32, dtype=np.float32), np.int32(32)]
    with pytest.raises(ArgumentError, match=message):
        replay(SOURCE, "work", args, **changes)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kernel": "work.cu"}, "the kernel is a str"),
        ({"args": None}, "args is a NoneType"),
        ({"args": zeros(32)}, "args is a ndarray"),
        ({"grid": 1.5}, "grid 1.5 must be"),
        ({"block": "32"}, "block '32' must be"),
        ({"timeline": -1}, "timeline is -1"),
    ],
)
def test_what_is_no_launch_at_all(given: dict[str, Any], message: str) -> None:
    kernel = sm.compile_cuda(SOURCE, "work", "rtx4090")
    right = {"kernel": kernel, "grid": 1, "block": 32, "args": []}
    with pytest.raises(ArgumentError, match=message):
        sm.replay(**{**right, **given})


def test_none_is_a_null_pointer() -> None:
    source = """extern "C" __global__ void either(const int* x, int* out) {
        out[threadIdx.x] = x ? x[threadIdx.x] : 7; }"""
    run = replay(source, "either", [None, zeros(32)])
    assert (run.outputs[1] == 7).all()


def test_variables_of_a_module_lie_in_one_piece() -> None:
    """Headers bring hundreds along, for which there is not room of their own."""
    names = [f"v{n}" for n in range(600)]
    source = "".join(f"__device__ int {name} = {name[1:]};" for name in names)
    total = " + ".join(names)
    source += f'extern "C" __global__ void sum(int* out) {{ out[0] = {total}; v7 = 0; }}'
    kernel = sm.compile_cuda(source)
    launch = Launch(build_program(kernel), (1, 1, 1), (1, 1, 1), 0, [zeros(1)])
    assert len(launch.arena.memory) == 3 * (2 << 20)
    launch.run(np.arange(1))
    assert launch.outputs()[0].tolist() == [sum(range(600))]
