"""Wavefronts of matrix loads and stores (LDSM, STSM), as measured on an NVIDIA H200."""

from __future__ import annotations

from simulator.jit import compiled, constant
from simulator.memory.bank_degree import bank_degree
from simulator.memory.lanes import Addresses, group_lanes

ROWS = constant(8)
ROW_BYTES = constant(16)  # a row of an 8x8 matrix of halves


@compiled
def count_matrix(addresses: Addresses, matrices: int) -> tuple[int, int, int, int, int]:
    """Hardware wavefronts, conflicts, phases; page wavefronts and ideal of LDSM.x1, .x2 or .x4.

    Lanes 8m to 8m+7 give the row addresses of matrix m; what the other lanes hold and ``.trans``
    do not matter.
    """
    wavefronts = 0
    for matrix in range(matrices):
        wavefronts += bank_degree(addresses, group_lanes(ROWS * matrix, ROWS), ROW_BYTES)
    return wavefronts, wavefronts - matrices, matrices, wavefronts, matrices
