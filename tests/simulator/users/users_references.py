"""What the kernels in kernels.cu compute, in numpy and plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def words(values: Any) -> Any:
    """Whole numbers as 32-bit ones that wrap."""
    return np.asarray(values, dtype=np.int64).astype(np.uint32).view(np.int32)


def single(values: Any) -> Any:
    return np.asarray(values).astype(np.float32)


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


def grid_barrier(x: Any, rounds: int) -> Any:
    for _ in range(rounds):
        x = 2 * np.roll(x, -32) + 1
    return x
