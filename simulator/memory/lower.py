"""The static side of memory instructions as numbers that compiled code can read."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simulator.isa.kernel import AccessKind, Kernel, Space

SHARED = Space.SHARED.value
GLOBAL = Space.GLOBAL.value
LOCAL = Space.LOCAL.value

LOAD, STORE, ATOMIC, CAS, POPC_INC, CAST_SPIN, MATRIX, ASYNC, BYPASS = range(9)

RULES = {
    AccessKind.LOAD: LOAD,
    AccessKind.STORE: STORE,
    AccessKind.ATOMIC: ATOMIC,
    AccessKind.REDUCTION: ATOMIC,
    AccessKind.ATOMIC_CAS: CAS,
    AccessKind.POPC_INC: POPC_INC,
    AccessKind.CAST_SPIN: CAST_SPIN,
    AccessKind.MATRIX_LOAD: MATRIX,
    AccessKind.MATRIX_STORE: MATRIX,
    AccessKind.ASYNC_COPY: ASYNC,
    AccessKind.ASYNC_COPY_BYPASS: BYPASS,
}

# Columns of the lowered table.
ACCESS, RULE, WIDTH, MATRICES = range(4)


@lru_cache(maxsize=2)
def lower_accesses(kernel: Kernel) -> NDArray[np.int32]:
    """One row an instruction: running number among memory instructions (else -1), rule, width in
    bytes, matrices."""
    table = np.zeros((len(kernel.instructions), 4), np.int32)
    table[:, ACCESS] = -1
    accesses = 0
    for instruction in kernel.instructions:
        access = instruction.access
        if access is not None:
            table[instruction.index] = (
                accesses,
                RULES[access.kind],
                access.width_bytes,
                access.matrices,
            )
            accesses += 1
    return table
