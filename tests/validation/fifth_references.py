"""What the kernels of the fifth set must leave in memory, as ``holdout_references`` has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from holdout_references import Outputs, product

TAPS = np.array([1, 2, 3, 5, 6, 7, 8, 10, 16, 10, 8, 7, 6, 5, 3, 2, 1]) / 100


def turned_product(a: Any, b: Any, *_: Any) -> Outputs:
    return {2: a.astype(np.float64).T @ b}


def depthwise(data: Any, weights: Any, *_: Any) -> Outputs:
    height, width, _channels = data.shape
    padded = np.pad(data.astype(np.float64), ((1, 1), (1, 1), (0, 0)))
    wide = weights.astype(np.float64)
    return {
        2: sum(
            wide[3 * dy + dx] * padded[dy : dy + height, dx : dx + width]
            for dy in range(3)
            for dx in range(3)
        )
    }


def pool(data: Any, out: Any, *_: Any) -> Outputs:
    width = data.shape[-1]
    padded = np.pad(data, ((0, 0), (1, 0), (1, 0)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))[:, ::2, ::2]
    flat = windows.reshape(*out.shape, 9)
    best = flat.argmax(-1)
    y, x = np.indices(out.shape)[1:]
    rows, columns = 2 * y - 1 + best // 3, 2 * x - 1 + best % 3
    return {1: flat.max(-1), 2: rows * width + columns}


def blur(data: Any, *_: Any) -> Outputs:
    padded = np.pad(data.astype(np.float64), ((8, 8), (0, 0)))
    # The kernel has its taps turned round; they are symmetric.
    return {1: sum(tap * padded[i : i + len(data)] for i, tap in enumerate(TAPS))}


def dot(a: Any, b: Any, *_: Any) -> Outputs:
    return {2: np.array([np.vdot(a.astype(np.float64), b)])}


def rotary(data: Any, _out: Any, positions: Any, _heads: Any, base: Any) -> Outputs:
    wide = data.astype(np.float64)
    angle = positions[:, None] * np.exp2(-float(base) * np.arange(64))
    sine, cosine = (f(angle)[:, None, :] for f in (np.sin, np.cos))
    x, y = wide[..., :64], wide[..., 64:]
    return {1: np.concatenate([x * cosine - y * sine, y * cosine + x * sine], -1)}


def paths(distance: Any, n: Any, pivot: Any) -> Outputs:
    middle = slice(int(pivot), int(pivot) + 32)
    ways = distance[:, middle, None] + distance[None, middle, :]
    found = np.minimum(distance, ways.min(1))
    home = slice(int(pivot) // 64 * 64, int(pivot) // 64 * 64 + 64)
    found[home] = distance[home]
    found[:, home] = distance[:, home]
    return {0: found}


def bitonic(keys: Any, values: Any, _half: Any, distance: Any, span: Any) -> Outputs:
    place = np.arange(len(keys))
    low = place[place & int(distance) == 0]
    high = low + int(distance)
    swap = (keys[low] > keys[high]) == (low & int(span) == 0)
    order = place.copy()
    order[low[swap]], order[high[swap]] = high[swap], low[swap]
    return {0: keys[order], 1: values[order]}


REFERENCES: Mapping[str, Callable[..., Outputs]] = {
    "gemm_tn": turned_product,
    "gemm_column": product,
    "hgemm_swizzled": product,
    "depthwise": depthwise,
    "max_pool": pool,
    "blur_columns": blur,
    "dot": dot,
    "rotary": rotary,
    "shortest_paths": paths,
    "bitonic_step": bitonic,
}
TOLERANCES: Mapping[str, float] = {"hgemm_swizzled": 1e-2, "depthwise": 2e-3, "rotary": 2e-3}
