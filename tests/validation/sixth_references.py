"""What the kernels of the sixth set must leave in memory, as ``holdout_references`` has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from holdout_references import Outputs


def biased_product(a: Any, b: Any, bias: Any, *_: Any) -> Outputs:
    return {3: np.maximum(a.astype(np.float64) @ b.T + bias, 0)}


def complex_product(a: Any, b: Any, *_: Any) -> Outputs:
    c = (a[..., 0] + 1j * a[..., 1].astype(np.float64)) @ (b[..., 0] + 1j * b[..., 1])
    return {2: np.stack([c.real, c.imag], -1)}


def skinny(x: Any, w: Any, *_: Any) -> Outputs:
    return {2: x.astype(np.float64) @ w.T}


def walsh(data: Any, *_: Any) -> Outputs:
    matrix = np.ones((1, 1))
    for _step in range(10):
        matrix = np.kron([[1, 1], [1, -1]], matrix)
    return {1: data @ matrix / 32}


def colours(pixels: Any, table: Any, *_: Any) -> Outputs:
    place = pixels[:, :3] * (32 / 255)
    low = np.minimum(place.astype(int), 31)
    share = place - low
    colour = np.zeros((len(pixels), 3))
    for corner in np.ndindex(2, 2, 2):
        r, g, b = (low + corner).T
        weight = np.where(corner, share, 1 - share).prod(1)
        colour += weight[:, None] * table[b, g, r, :3]
    return {2: np.concatenate([np.abs(colour) * 255, pixels[:, 3:]], 1).astype(np.uint8)}


def compact(data: Any, _out: Any, _kept: Any, _n: Any, limit: Any) -> Outputs:
    return {2: np.array([(data > limit).sum()], np.int32)}


def search(table: Any, query: Any, _place: Any, length: Any, *_: Any) -> Outputs:
    wanted = (query + np.float32(1)) * np.float32(0.5) * np.float32(length)
    return {2: np.searchsorted(table, wanted).astype(np.int32)}


def channels_last(data: Any, *_: Any) -> Outputs:
    return {1: data.swapaxes(1, 2)}


def cell(gates: Any, bias: Any, old: Any, *_: Any) -> Outputs:
    into, forget, fresh, show = np.moveaxis(gates.astype(np.float64) + bias, 1, 0)
    state = old / (1 + np.exp(-forget)) + np.tanh(fresh) / (1 + np.exp(-into))
    return {2: state, 3: np.tanh(state) / (1 + np.exp(-show))}


def cholesky(data: Any, *_: Any) -> Outputs:
    low = np.tril(data.astype(np.float64), -1)
    full = low + low.swapaxes(1, 2) + np.eye(32) * (64 + data)
    return {1: np.linalg.cholesky(full)}


def tridiagonal(b: Any, right: Any, *_: Any) -> Outputs:
    length, systems = b.shape
    beside = np.eye(length, k=1) + np.eye(length, k=-1)
    full = beside + np.eye(length) * (4 + b.T.astype(np.float64))[:, :, None]
    assert full.shape == (systems, length, length)
    return {3: np.linalg.solve(full, right.T[..., None])[..., 0].T}


def statistics(data: Any, *_: Any) -> Outputs:
    wide = data.astype(np.float64)
    return {1: np.stack([wide.mean((0, 2)), wide.var((0, 2))], 1)}


REFERENCES: Mapping[str, Callable[..., Outputs]] = {
    "gemm_nt": biased_product,
    "cgemm": complex_product,
    "skinny": skinny,
    "walsh": walsh,
    "color_lut": colours,
    "compact": compact,
    "search_sorted": search,
    "channels_last": channels_last,
    "lstm_cell": cell,
    "cholesky": cholesky,
    "tridiagonal": tridiagonal,
    "channel_stats": statistics,
}
TOLERANCES: Mapping[str, float] = {"lstm_cell": 2e-3}
