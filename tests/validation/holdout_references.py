"""What the kernels of the holdout must leave in memory, from their arguments, with numpy.

Each function takes the arguments of a launch and returns arrays by the position of the argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Outputs = Mapping[int, Any]


def attention(q: Any, k: Any, v: Any, *_: Any) -> Outputs:
    scores = q.astype(np.float64) @ k.swapaxes(1, 2) / 8
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return {3: weights @ v / weights.sum(-1, keepdims=True)}


def transforms(data: Any, *_: Any) -> Outputs:
    found = np.fft.fft(data[..., 0] + 1j * data[..., 1])
    return {1: np.stack([found.real, found.imag], -1)}


def sort(keys: Any, *_: Any) -> Outputs:
    place = np.arange(2048, dtype=np.uint32)
    mixed = keys * np.uint32(2654435761) ^ place * np.uint32(40503)
    order = np.argsort(mixed, axis=1)
    return {1: np.take_along_axis(mixed, order, 1), 2: order.astype(np.uint32)}


def bodies(body: Any, _: Any, __: Any, soft: Any) -> Outputs:
    place, mass = body[:, :3].astype(np.float64), body[:, 3].astype(np.float64)
    away = place[None] - place[:, None]
    pull = mass * ((away**2).sum(-1) + soft) ** -1.5
    sums = (pull[..., None] * away).sum(1)
    return {1: np.hstack([sums, np.zeros((len(body), 1))])}


def stencil(data: Any, _: Any, nx: Any, ny: Any, nz: Any) -> Outputs:
    weight = [-2.847222, 1.6, -0.2, 0.0253968, -0.001785714]
    shape = (int(nz), int(ny), int(nx))

    def moved(*by: int) -> Any:
        return data[tuple(slice(4 + b, 4 + b + n) for b, n in zip(by, shape, strict=True))]

    total = 3 * weight[0] * moved(0, 0, 0).astype(np.float64)
    for i in range(1, 5):
        for axis in range(3):
            for sign in (-i, i):
                total += weight[i] * moved(*(sign if axis == a else 0 for a in range(3)))
    return {1: total}


def ell(values: Any, distance: Any, length: Any, x: Any, *_: Any) -> Outputs:
    rows = len(x)
    column = np.arange(rows) + 37 * (distance.astype(np.int64) - 50)
    taken = (np.arange(len(values))[:, None] < length) & (column >= 0) & (column < rows)
    return {4: np.where(taken, values * x[column.clip(0, rows - 1)], 0).sum(0)}


def coo(rows: Any, columns: Any, values: Any, x: Any, y: Any, _: Any) -> Outputs:
    row = rows // 13
    products = values * x[(columns * 7919 + row) & 65535]
    return {4: np.bincount(row, products, len(y))}


def image_filter(data: Any, *_: Any) -> Outputs:
    line = np.array([1, 4, 6, 4, 1])
    padded = np.pad(data.astype(np.int64), 2, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (5, 5))
    return {1: ((windows * np.outer(line, line)).sum((2, 3)) >> 8).astype(np.uint8)}


def histogram(keys: Any, *_: Any) -> Outputs:
    return {1: np.bincount(keys, minlength=256).astype(np.uint32)}


def matvec(a: Any, x: Any, *_: Any) -> Outputs:
    return {2: a.astype(np.float64) @ x}


def small_products(a: Any, b: Any, c: Any, alpha: Any, beta: Any, _: Any) -> Outputs:
    return {2: alpha * (a.astype(np.float64) @ b) + beta * c}


def bytes_product(a: Any, b: Any, *_: Any) -> Outputs:
    return {2: a.astype(np.int32) @ b.T.astype(np.int32)}


def product(a: Any, b: Any, *_: Any) -> Outputs:
    return {2: a.astype(np.float64) @ b}


def rounded_product(a: Any, b: Any, _: Any, m: Any, n: Any, k: Any) -> Outputs:
    """Of bfloat16, to the nearest even; B lies transposed."""
    left, right = (x.view(np.uint32) for x in (a, b.reshape(n, k)))
    left, right = (
        ((x + 0x7FFF + (x >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
        for x in (left, right)
    )
    return {2: left.astype(np.float64) @ right.T}


def gelu(x: Any, bias: Any, *_: Any) -> Outputs:
    v = (x + bias[np.arange(len(x)) % len(bias)]).astype(np.float64)
    return {2: v * 0.5 * (1 + np.tanh(0.7978845608 * v * (1 + 0.044715 * v * v)))}


def embedding(table: Any, words: Any, _: Any, __: Any, length: Any, mask: Any) -> Outputs:
    at = np.arange(words.size, dtype=np.uint32).reshape(words.shape)
    row = (words * np.uint32(2246822519) + at * np.uint32(2654435761)) >> np.uint32(7) & mask
    return {2: table[row].astype(np.float64).sum(1) / length}


def transpose(data: Any, *_: Any) -> Outputs:
    return {1: data.T}


def argmax(values: Any, *_: Any) -> Outputs:
    place = int(np.argmax(values))
    bits = int(values[place].view(np.uint32))
    assert values[place] > 0
    return {1: np.array([(bits | 1 << 31) << 32 | (~place & 0xFFFFFFFF)], np.uint64)}


def scan(data: Any, *_: Any) -> Outputs:
    sums = np.cumsum(data, 1, dtype=np.int32)
    return {1: sums, 2: sums[:, -1]}


def chance(blocks: int, threads: int) -> Callable[..., Outputs]:
    def mix(x: Any) -> Any:
        x = x ^ x >> np.uint32(16)
        x = x * np.uint32(0x7FEB352D)
        x = x ^ x >> np.uint32(15)
        x = x * np.uint32(0x846CA68B)
        return x ^ x >> np.uint32(16)

    def inside(_: Any, seed: Any, each: Any) -> Outputs:
        a = mix(np.arange(blocks * threads * each, dtype=np.uint32) + seed)
        x, y = (w.astype(np.uint64) >> np.uint64(1) for w in (a, mix(a ^ np.uint32(0x9E3779B9))))
        return {0: np.array([(x * x + y * y < np.uint64(1 << 62)).sum()], np.uint64)}

    return inside


def alignments(first: Any, second: Any, _: Any) -> Outputs:
    a, b = first & 3, second & 3
    count, length = a.shape
    before = np.zeros((count, length + 1), np.int64)
    best = np.zeros(count, np.int32)
    for row in range(length):
        now = np.zeros_like(before)
        diagonal = before[:, :-1] + np.where(a[:, row : row + 1] == b, 3, -2)
        above = np.maximum(np.maximum(diagonal, before[:, 1:] - 4), 0)
        for column in range(length):
            now[:, column + 1] = np.maximum(above[:, column], now[:, column] - 4)
        best = np.maximum(best, now.max(1)).astype(np.int32)
        before = now
    return {2: best}


def graph(level: Any, length: Any, neighbours: Any, *rest: Any) -> Outputs:
    vertices, now = int(rest[2]), int(rest[3])
    marked = np.zeros(vertices, np.int32)
    for v in np.flatnonzero(level % 10 == now):
        near = (v + neighbours[v, : length[v] & 31].astype(np.int64) * 9973) % vertices
        marked[near[level[near] >= 50]] = now + 1
    return {3: marked, 4: np.array([marked.any()], np.int32)}


def layernorm(dy: Any, x: Any, gamma: Any, mean: Any, inverse: Any, *_: Any) -> Outputs:
    scale = inverse[:, None].astype(np.float64)
    g, h = dy.astype(np.float64) * gamma, (x - mean[:, None].astype(np.float64)) * scale
    a, b = g.mean(1, keepdims=True), (g * h).mean(1, keepdims=True)
    return {5: scale * (g - a - h * b)}


def points(x: Any, coefficients: Any, *_: Any) -> Outputs:
    return {2: np.polynomial.polynomial.polyval(x.astype(np.float64), coefficients)}


def bilateral(data: Any, _: Any, __: Any, ___: Any, space: Any, reach: Any) -> Outputs:
    near = np.arange(-3, 4)
    padded = np.pad(data.astype(np.float64), 3, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (7, 7))
    weight = np.exp(-(near[:, None] ** 2 + near**2) * float(space)) * np.exp(
        -((windows - data[..., None, None]) ** 2) * float(reach)
    )
    return {1: (weight * windows).sum((2, 3)) / weight.sum((2, 3))}


def mandelbrot(steps: Any, width: Any, height: Any, most: Any) -> Outputs:
    """Within rounding: only points whose steps do not hang on it are compared (else -1)."""
    cx = -2.2 + 3.2 * np.arange(width) / float(width)
    cy = -1.2 + 2.4 * np.arange(height) / float(height)
    c = cx + 1j * cy[:, None]
    z, count = np.zeros_like(c), np.zeros(c.shape, np.int64)
    for _ in range(int(most)):
        inside = np.abs(z) <= 2
        count += inside
        z = np.where(inside, z * z + c, z)
    return {0: count}


REFERENCES: Mapping[str, Callable[..., Outputs]] = {
    "flash_attention": attention,
    "fft_shared": transforms,
    "bitonic_shared": sort,
    "nbody_tiles": bodies,
    "stencil_queue": stencil,
    "spmv_ell": ell,
    "spmv_coo": coo,
    "filter_5x5": image_filter,
    "histogram_matched": histogram,
    "matvec_warp": matvec,
    "gemm_small": small_products,
    "gemm_dp4a": bytes_product,
    "wmma_bf16": rounded_product,
    "wmma_tf32": product,
    "dgemm": product,
    "gelu_half2": gelu,
    "embedding": embedding,
    "transpose_short": transpose,
    "argmax": argmax,
    "scan_groups": scan,
    "monte_carlo": chance(3, 64),
    "mandelbrot": mandelbrot,
    "bilateral": bilateral,
    "smith_waterman": alignments,
    "bfs_step": graph,
    "layernorm_backward": layernorm,
    "gemm_async": product,
    "polynomial": points,
}
TOLERANCES: Mapping[str, float] = {"gelu_half2": 2e-3, "wmma_tf32": 2e-2, "wmma_bf16": 1e-4}
