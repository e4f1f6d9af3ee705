"""Matrix products of a warp: HMMA, IMMA, DMMA, and the transposition MOVM.

See runtime.fragments for which lane holds what. Nothing is written before all sources are read, as
targets may be sources too.
"""

from __future__ import annotations

import numpy as np

from simulator.emulator.runtime.codes import BF16, TF32
from simulator.emulator.runtime.fragments import (
    LANES,
    get_accumulators,
    put_columns,
    put_results,
    put_rows,
    word,
)  # fmt: skip
from simulator.emulator.runtime.raw import (
    bits_to_double,
    double_to_bits,
    fused,
    load32,
    reserve_planes,
    store32,
)  # fmt: skip
from simulator.emulator.runtime.state import row_address
from simulator.emulator.runtime.tensor_sums import add_group, add_integers
from simulator.jit import Float, Int, step

ROWS = 16


def mma_float(
    w: Int, x: Int, target: Int, a: Int, b: Int, c: Int, kind: Int, k: Int, group: Int, bits: Int,
    half: Int,
) -> None:  # fmt: skip
    """HMMA of 16 x 8 x k; ``half``: float16 accumulators, two a register.

    ``group`` products are added at a time, cut off ``bits`` below the largest exponent.
    """
    planes = reserve_planes()
    fraction = 7 if kind == BF16 else 10
    per = 1 if kind == TF32 else 2
    parts, slices = k // (4 * per), k // 4
    put_rows(w, planes, a, kind, parts, per, bits - 2 * fraction)
    put_columns(w, planes, b, kind, parts, per)
    get_accumulators(w, planes, c, half)
    step = group // 4
    for first in range(0, slices, step):
        last = first + step
        start, end = half and first == 0, half and last >= slices
        for row in range(ROWS):
            add_group(planes, row, first, last, fraction, bits, start, end)
    put_results(w, planes, target, half)


def mma_integer(
    w: Int, x: Int, target: Int, a: Int, b: Int, c: Int, kind_a: Int, kind_b: Int, k: Int,
    saturate: Int,
) -> None:  # fmt: skip
    """IMMA of 16 x 8 x k on bytes, with 32-bit sums that wrap or saturate."""
    planes = reserve_planes()
    parts = k // 16
    put_rows(w, planes, a, kind_a, parts, 4, 0)
    put_columns(w, planes, b, kind_b, parts, 4)
    get_accumulators(w, planes, c, 0)
    for row in range(ROWS):
        add_integers(planes, row, 4 * parts, saturate)
    put_results(w, planes, target, 0)


@step
def _double(w: Int, row: Int, lane: Int) -> Float:
    if row < 0:
        return 0.0
    low, high = np.int64(word(w, row, 0, lane)), np.int64(word(w, row, 1, lane))
    return bits_to_double(low | high << 32)


def mma_double(w: Int, x: Int, target: Int, a: Int, b: Int, c: Int) -> None:
    """DMMA of 8 x 8 x 4: every sum is a chain of fused multiply-adds over k."""
    results = reserve_planes()
    for lane in range(LANES):
        for index in range(2):
            total = _double(w, -1 if c < 0 else c + 2 * index, lane)
            column = 2 * (lane & 3) + index
            for n in range(4):
                left, right = _double(w, a, (lane & -4) + n), _double(w, b, 4 * column + n)
                total = fused(left, right, total)
            bits = double_to_bits(total)
            store32(results, 2 * index * LANES + lane, np.uint32(bits & 0xFFFFFFFF))
            store32(results, (2 * index + 1) * LANES + lane, np.uint32(bits >> 32 & 0xFFFFFFFF))
    rows = row_address(w, target)
    for place in range(4 * LANES):
        store32(rows, place, load32(results, place))


def move_matrix(w: Int, x: Int, target: Int, source: Int) -> None:
    """MOVM.16.MT88: an 8 x 8 matrix of 16-bit elements, one row every four lanes, transposed."""
    matrix, row = reserve_planes(), row_address(w, target)
    for lane in range(LANES):
        store32(matrix, lane, np.uint32(word(w, source, 0, lane)))
    for lane in range(LANES):
        column, first = lane >> 2, 8 * (lane & 3) + (lane >> 3)
        shift = np.uint32(16 * (column & 1))
        low = load32(matrix, first) >> shift & np.uint32(0xFFFF)
        high = load32(matrix, first + 4) >> shift & np.uint32(0xFFFF)
        store32(row, lane, np.uint32(low | high << np.uint32(16)))
