"""Functions with code of their own: called by name, through pointers, and from PTX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simulator as sm
from simulator.isa.kernel import RZ

DEVICES = {80: "a100_80", 86: "rtx3090", 89: "rtx4090", 90: "h200", 120: "rtx5090"}
each_device = pytest.mark.parametrize("architecture", DEVICES)
TABLE = """
typedef int (*Step)(int);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int next(int x) { return x + 1; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ Step steps[3] = {twice, next, square};
extern "C" __global__ void apply(int* x) {
    x[threadIdx.x] = steps[threadIdx.x % 3](x[threadIdx.x]);
}
"""
CALLS = """
.version 8.0
.target sm_80
.address_size 64
.func (.reg .u32 r) halve(.reg .u32 a) { shr.u32 r, a, 1; ret; }
.func (.reg .u32 r) collatz(.reg .u32 a)
{
    .reg .pred odd; .reg .u32 b;
    and.b32 b, a, 1;
    setp.ne.u32 odd, b, 0;
    @odd bra Odd;
    call (r), halve, (a);
    ret;
Odd:
    mad.lo.u32 r, a, 3, 1;
    ret;
}
.visible .entry step(.param .u64 x)
{
    .reg .u64 p, o; .reg .u32 t, v;
    ld.param.u64 p, [x];
    mov.u32 t, %tid.x;
    mul.wide.u32 o, t, 4;
    add.u64 p, p, o;
    ld.global.u32 v, [p];
    call (v), collatz, (v);
    st.global.u32 [p], v;
    ret;
}
"""


def run(kernel: Any, x: Any, architecture: int) -> Any:
    made = sm.replay(kernel, (1,), (len(x),), [x], device=DEVICES[architecture])
    assert not made.findings
    return made.outputs[0]


@each_device
def test_table_of_functions(architecture: int) -> None:
    kernel = sm.compile_cuda(TABLE, device=architecture)
    x = np.arange(96, dtype=np.int32)
    expected = np.choose(x % 3, [2 * x, x + 1, x * x])
    np.testing.assert_array_equal(run(kernel, x, architecture), expected)


@each_device
def test_functions_of_ptx(architecture: int) -> None:
    kernel = sm.compile_ptx(CALLS, device=architecture)
    named = [o.value for i in kernel.instructions for o in i.operands if o.kind.name == "REGISTER"]
    assert kernel.registers > max(n for n in named if n != RZ)  # of the called functions too
    x = np.arange(64, dtype=np.uint32)
    expected = np.where(x % 2, 3 * x + 1, x // 2)
    np.testing.assert_array_equal(run(kernel, x, architecture), expected)
