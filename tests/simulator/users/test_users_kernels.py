"""Kernels as users write them give what numpy says, on every architecture, or stop by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator as sm
from simulator.errors import ReplayError, SimulatorError, UnsupportedError
from simulator.isa.kernel import Kernel
from simulator.results import Run

HERE = Path(__file__).parent
# The default device, the one that counts are proved on, and the newest; code for sm_80 and sm_86
# is written as for sm_89.
DEVICES = {89: "rtx4090", 90: "h200", 120: "rtx5090"}
RNG = np.random.default_rng(20)


@dataclass(frozen=True)
class Case:
    """A launch: ``expected(*args)`` gives the last arguments, as many as it returns."""

    args: tuple[Any, ...]
    expected: Callable[..., Any]
    block: tuple[int, ...] | int = 64
    grid: tuple[int, ...] | int = 1
    shared_bytes: int = 0
    rtol: float = 0.0
    outputs: tuple[int, ...] = field(default=(-1,))


def floats(*shape: int) -> Any:
    return RNG.uniform(0.1, 3, shape).astype(np.float32)


def integers(low: int, high: int, *shape: int) -> Any:
    return RNG.integers(low, high, shape).astype(np.int32)


def zeros(n: int, dtype: Any = np.int32) -> Any:
    return np.zeros(n, dtype)


def words(values: Any) -> Any:
    """Whole numbers as 32-bit ones that wrap."""
    return np.asarray(values, dtype=np.int64).astype(np.uint32).view(np.int32)


def single(values: Any) -> Any:
    return np.asarray(values).astype(np.float32)


# -- references -----------------------------------------------------------------------------------


def warp_specialised(x: Any, _: Any) -> Any:
    rows = x.reshape(4, 2, 32)
    return (rows[:, 0, ::-1] * np.float32(3) + rows[:, 1]).ravel()


def tiles(x: Any, _: Any) -> Any:
    sums = np.repeat(x.reshape(-1, 32).sum(1), 32)
    most = np.repeat(x.reshape(-1, 8).max(1), 8)
    return np.stack([sums, most, x.reshape(-1, 8).cumsum(1).ravel()], 1).ravel()


def templated(width: int) -> Callable[..., Any]:
    def dot(a: Any, _: Any, n: int) -> Any:
        rows = a.reshape(-1, width)[:n]
        return (rows * np.roll(rows, -1, 0)).sum(1)

    return dot


def dynamic_shared(x: Any, out: Any, n: int) -> Any:
    found = out.copy()
    found[:n] = x[:n][::-1] + (x[:n] * 0.5).astype(np.int16)
    return found


def cas_loop(x: Any, _: Any, total: Any) -> Any:
    most = x.reshape(-1, 3).max(0)
    return most, np.array([np.arange(len(x)).sum()], total.dtype)


def doubles(a: Any, b: Any, _: Any) -> Any:
    fused = np.array([math.fsum([x * y, -1.0]) for x, y in zip(a, b, strict=True)])
    third = np.floor(a * 10) + np.maximum(a, b)
    return np.stack([a / b, np.sqrt(a) + fused, third, np.trunc(a * 1e12) + np.trunc(b)], 1).ravel()


def read_only(x: Any, _: Any) -> Any:
    v = x.astype(np.float64)
    return single(single(v[:, 1] * v[:, 2] + v[:, 0]) - x[:, 3])


def fibonacci(n: Any, _: Any) -> Any:
    numbers = [0, 1]
    while len(numbers) <= n.max():
        numbers.append(numbers[-1] + numbers[-2])
    return np.array(numbers, np.int32)[n]


def switch_one(v: int) -> int:
    bits = v & 0xFFFFFFFF
    return {
        0: v * 3,
        1: v ^ 0x55,
        2: v - 17,
        3: v << 3,
        4: bits.bit_count(),
        5: int(f"{bits:032b}"[::-1], 2),
        6: math.trunc(v / 7),
        7: int(math.fmod(v, 5)),
        8: ~v,
        9: v * v,
        10: 32 - bits.bit_length(),
    }.get(v & 15, -1)


def switch_table(x: Any, _: Any) -> Any:
    return np.array([switch_one(int(v)) & 0xFFFFFFFF for v in x], np.uint32).view(np.int32)


def polynomial(x: float, n: int) -> float:
    total = 0.0
    for i in range(n):
        total = total * x + i
    return total


def calls(x: Any, _: Any) -> Any:
    first = [polynomial(float(v), 4) if t % 3 == 0 else float(v) for t, v in enumerate(x)]
    return single([polynomial(float(np.float32(v)), t % 5) for t, v in enumerate(first)])


def scratch(x: Any, out: Any, n: int) -> Any:
    found = []
    for t in range(len(out)):
        total = 0
        for i in range(n):
            total = total * 3 + int(x[(i * 7 + t) % n]) + t
        found.append(((total + 2**31) % 2**32) - 2**31)
    return np.array(found, np.int32)


def halves(a: Any, b: Any, _: Any, __: Any) -> Any:
    x, y = a.astype(np.float64), b.astype(np.float64)
    first = (x * y + (x * x).astype(np.float16)).astype(np.float16)
    second = np.maximum(a, (y + 0.5).astype(np.float16))
    pairs = np.stack([first.reshape(-1, 2), second.reshape(-1, 2)], 1)
    return pairs.ravel(), single(a[::2]) * single(b[1::2])


def brain(bits: Any) -> Any:
    """bfloat16 bits as float64."""
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def to_brain(values: Any) -> Any:
    """float64 rounded to bfloat16 bits; sums of two bfloat16 and products are exact before."""
    step = 2.0 ** (np.floor(np.log2(np.abs(values))) - 7)
    exact = (np.rint(values / step) * step).astype(np.float32)
    return (exact.view(np.uint32) >> 16).astype(np.uint16)


def brains(a: Any, b: Any, _: Any) -> Any:
    x, y = brain(a), brain(b)
    return to_brain(x * y + brain(to_brain(x + y)))


def byte_sums(a: Any, b: Any, _: Any) -> Any:
    x, y = a.view(np.int8).reshape(-1, 4), b.view(np.int8).reshape(-1, 4)
    dots = (x.astype(int) * y).sum(1) + np.arange(len(a))
    sums = (x.view(np.uint8) + y.view(np.uint8)).view(np.int32).ravel()
    u, v = x.view(np.uint8), y.view(np.uint8)
    picked = np.stack([u[:, 0], v[:, 0], u[:, 1], v[:, 1]], 1).copy().view(np.int32).ravel()
    return np.stack([words(dots), sums ^ picked], 1).ravel()


def pipeline(x: Any, _: Any, steps: int) -> Any:
    total = np.zeros((64, 4), np.float32)
    for step in x.reshape(steps, 64, 4):
        total += step[::-1]
    return total.ravel()


def inline_assembly(x: Any, _: Any) -> Any:
    wide, lane = x.astype(np.uint64), np.arange(len(x)) % 32
    r = np.maximum(wide, lane.astype(np.uint64))
    product = r * (wide >> np.uint64(4) & np.uint64(0xFFF)) + np.uint64(7)
    return np.stack([r, product & np.uint64(0xFFFFFFFF), product >> np.uint64(32)], 1).ravel()


def divergent_sync(x: Any, _: Any) -> Any:
    found = []
    for warp in x.reshape(-1, 32):
        lane = np.arange(32)
        v = np.where(lane < 12, warp[(lane + 1) % 12], warp[np.maximum(43 - lane, 0) % 32])
        even = v % 2 == 0
        found.append(v + np.concatenate([[0], even.cumsum()[:-1]]))
    return np.concatenate(found)


def three_dimensions(out: Any) -> Any:
    z, y, x = np.meshgrid(np.arange(8), np.arange(9), np.arange(10), indexing="ij")
    return (x + 100 * y + 10000 * z).ravel()


def functions(x: Any, _: Any) -> Any:
    v = x.astype(np.float64)
    error = np.array([math.erf(n) for n in v])
    rest = [np.sin(v), np.exp(v), np.log(v), v**1.7, np.tanh(v) + error, v / 3.7 + v**-0.5]
    return single(np.stack(rest, 1)).ravel()


def module_data(x: Any, out: Any, _: Any) -> Any:
    weights = single([0.1, 0.2, 0.4, 0.2, 0.1])
    smooth = sum(weights[i] * x[i : i + len(out)] for i in range(5))
    return smooth, np.array([(smooth > 0.5).sum()], np.int32)


def pointer_chase(nodes: Any, out: Any, steps: int) -> Any:
    found = []
    for start in range(len(out)):
        at, total = start, 0
        for _ in range(steps):
            if at < 0:
                break
            total += int(nodes[at, 0])
            at = int(nodes[at, 1])
        found.append(total)
    return np.array(found, np.int32)


def warp_votes(x: Any, _: Any) -> Any:
    found = []
    for warp in x.reshape(-1, 32):
        same = (warp[:, None] == warp).sum(1)
        votes = 100 * (warp < 100).all() + 200 * (warp == 3).any() + 1000 * warp.sum()
        found.append(same + votes + ((x > 2).sum() << 20))
    return np.concatenate(found)


def grid_stride(x: Any, _: Any, __: int) -> Any:
    total = sum((int(v) % 1000003) * (int(v) // 77) for v in x) % 2**64
    return np.array([total], np.uint64)


X = floats(1024)
CASES = {
    "warp_specialised": Case((floats(256), zeros(128, np.float32)), warp_specialised, 256),
    "tiles": Case((integers(-50, 50, 64), zeros(192)), tiles),
    "coalesced": Case(
        (integers(-5, 5, 96), zeros(1)), lambda x, _: np.array([(x > 0).sum()]), 96
    ),
    "templated<float, 4>": Case(
        (floats(400), zeros(100, np.float32), np.int32(100)), templated(4), 32, 2, rtol=1e-6,
        outputs=(1,),
    ),
    "triples": Case(
        (RNG.random(300), zeros(100, np.float64), np.int32(100)), templated(3), 32, 2, rtol=1e-14,
        outputs=(1,),
    ),
    "dynamic_shared": Case(
        (integers(0, 999, 64).astype(np.int16), zeros(64, np.int16), np.int32(50)),
        dynamic_shared, shared_bytes=640, outputs=(1,),
    ),
    "wide_conflicts": Case(
        (RNG.random(1024), zeros(1024, np.float64)), lambda x, _: x.reshape(32, 32).T.ravel(),
        (32, 32),
    ),
    "cas_loop": Case(
        (floats(96), zeros(3, np.float32), zeros(1, np.uint64)), cas_loop, 96, outputs=(1, 2)
    ),
    "doubles": Case(
        (RNG.random(64) * 5, RNG.random(64) * 9 + 0.1, zeros(256, np.float64)), doubles, rtol=1e-14
    ),
    "read_only": Case(
        (floats(64, 4), zeros(64, np.float32)),
        read_only, rtol=1e-6,
    ),
    "recursion": Case((integers(0, 9, 32), zeros(32)), fibonacci, 32),
    "switch_table": Case((integers(-(2**31), 2**31 - 1, 64), zeros(64)), switch_table),
    "calls": Case((floats(64), zeros(64, np.float32)), calls, rtol=1e-6),
    "scratch": Case((integers(0, 99, 37), zeros(64), np.int32(37)), scratch, outputs=(1,)),
    "halves": Case(
        (floats(64).astype(np.float16), floats(64).astype(np.float16), zeros(128, np.float16),
         zeros(32, np.float32)),
        halves, 32, outputs=(2, 3),
    ),
    "brains": Case(
        ((floats(64).view(np.uint32) >> 16).astype(np.uint16),
         (floats(64).view(np.uint32) >> 16).astype(np.uint16), zeros(64, np.uint16)),
        brains, 32,
    ),
    "bytes": Case(
        (integers(-(2**31), 2**31 - 1, 32), integers(-(2**31), 2**31 - 1, 32), zeros(64)),
        byte_sums, 32,
    ),
    "pipeline": Case(
        (floats(7 * 256), zeros(256, np.float32), np.int32(7)), pipeline, outputs=(1,)
    ),
    "inline_assembly": Case(
        (integers(0, 2**31 - 1, 64).astype(np.uint32), zeros(192, np.uint32)), inline_assembly
    ),
    "volatile_shared": Case(
        (integers(-9, 99, 32), zeros(32)), lambda x, _: np.full(32, x.sum()), 32
    ),
    "divergent_sync": Case((integers(0, 99, 64), zeros(64)), divergent_sync),
    "three_dimensions": Case((zeros(720),), three_dimensions, (5, 3, 4), (2, 3, 2)),
    "one_thread": Case((integers(0, 99, 70), zeros(70)), lambda x, _: x * 5 - 2, 1, 70),
    "full_block": Case((integers(0, 99, 1024), zeros(1024)), lambda x, _: x.cumsum(), 1024),
    "long_grid": Case(
        (zeros(70000), np.int32(70000)),
        lambda _, n: np.arange(n) ^ np.arange(n) >> 3, 32, 70000, outputs=(0,),
    ),
    "math": Case((floats(64), zeros(384, np.float32)), functions, rtol=3e-6),
    "module_data": Case(
        (floats(68), zeros(64, np.float32), zeros(1)), module_data, rtol=1e-6, outputs=(1, 2)
    ),
    "pointer_chase": Case(
        (np.stack([integers(0, 9, 64), integers(-1, 64, 64)], 1), zeros(64), np.int32(20)),
        pointer_chase, outputs=(1,),
    ),
    "virtual_calls": Case(
        (floats(64), zeros(64, np.float32)),
        lambda x, _: np.where(np.arange(64) % 2, x * x, np.float32(3) * x * x),
    ),
    "warp_votes": Case((integers(0, 6, 64), zeros(64)), warp_votes),
    "grid_stride": Case(
        (RNG.integers(0, 2**40, 1000), zeros(1, np.uint64), np.int64(1000)), grid_stride, grid=3,
        outputs=(1,),
    ),
}  # fmt: skip


@cache
def compiled(file: str, name: str, architecture: int) -> Kernel:
    return sm.compile_cuda(HERE / file, name, architecture)


def replay(file: str, name: str, architecture: int, case: Case) -> Run:
    grid, block = (np.atleast_1d(n).tolist() for n in (case.grid, case.block))
    kernel = compiled(file, name, architecture)
    device = DEVICES[architecture]
    return sm.replay(kernel, grid, block, list(case.args), case.shared_bytes, device, "all")


@pytest.mark.parametrize("architecture", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_kernel(name: str, architecture: int) -> None:
    case = CASES[name]
    run = replay("kernels.cu", name, architecture, case)
    assert not run.findings
    wanted = case.expected(*case.args)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for place, expected in zip(case.outputs, wanted, strict=True):
        found = run.outputs[place % len(case.args)]
        if case.rtol:
            np.testing.assert_allclose(found, expected, rtol=case.rtol)
        else:
            np.testing.assert_array_equal(found, expected)


def test_64_bit_columns_conflict() -> None:
    run = replay("kernels.cu", "wide_conflicts", 89, CASES["wide_conflicts"])
    loads = [i for i in run.instructions if i.sass.startswith("LDS")]
    assert sum(i.bank_conflicts for i in loads) == 32 * (32 - 2)


# -- what stops -----------------------------------------------------------------------------------

NUMBERS = np.arange(32, dtype=np.int32)
STOPS: dict[str, tuple[type[SimulatorError], str, tuple[Any, ...]]] = {
    "prints": (ReplayError, r"calls printf .*stopped\.cu:\d+", (NUMBERS,)),
    "asserts": (ReplayError, r"fails an assertion .*stopped\.cu:\d+", (NUMBERS, zeros(32))),
    "allocates": (ReplayError, "malloc", (NUMBERS,)),
    "textures": (UnsupportedError, "textures", (np.uint64(1), zeros(32, np.float32))),
    "cluster": (UnsupportedError, "thread block clusters", (NUMBERS,)),
}


@pytest.mark.parametrize("architecture", DEVICES)
@pytest.mark.parametrize("name", STOPS)
def test_stops_by_name(name: str, architecture: int) -> None:
    if name == "cluster" and architecture < 90:
        pytest.skip("clusters came with sm_90")
    error, words_of_it, args = STOPS[name]
    with pytest.raises(error, match=words_of_it):
        replay("stopped.cu", name, architecture, Case(args, lambda: (), 32))


@pytest.mark.parametrize("architecture", DEVICES)
def test_assertions_that_hold(architecture: int) -> None:
    case = Case((NUMBERS % 20, zeros(32)), lambda: (), 32)
    run = replay("stopped.cu", "asserts", architecture, case)
    np.testing.assert_array_equal(run.outputs[1], NUMBERS % 20)


@pytest.mark.parametrize("architecture", DEVICES)
def test_traps_are_findings(architecture: int) -> None:
    run = replay("stopped.cu", "traps", architecture, Case((NUMBERS,), lambda: (), 32))
    (finding,) = run.findings
    assert finding.count == 1
    np.testing.assert_array_equal(run.outputs[0] == 1, NUMBERS != 5)
