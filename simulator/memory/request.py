"""One request, whatever its kind: picks the rule and fills a row of counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.isa.kernel import AccessKind, Kernel, Space
from simulator.memory.async_copy import count_cached
from simulator.memory.atomics import (
    count_atomic,
    count_cas,
    count_cast_spin,
    count_popc_inc,
)
from simulator.memory.bypass_copy import count_bypass
from simulator.memory.fields import (
    BANK_CONFLICTS,
    GLOBAL_IDEAL,
    GLOBAL_REQUESTS,
    GLOBAL_SECTORS,
    GLOBAL_TAGS,
    LOCAL_REQUESTS,
    LOCAL_SECTORS,
    LOCAL_TAGS,
    SECTORS_HARDWARE,
    SHARED_HARDWARE,
    SHARED_IDEAL,
    SHARED_PAGE,
    SHARED_REQUESTS,
    TAGS_HARDWARE,
    Counts,
)
from simulator.memory.global_memory import count_atomic_hardware, count_global
from simulator.memory.jit import compiled, inlined
from simulator.memory.lanes import Addresses
from simulator.memory.local import count_local
from simulator.memory.matrix import count_matrix
from simulator.memory.shared import count_load_store

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


@inlined
def is_atomic(rule: int) -> bool:
    """Whether a rule's global requests serialise equal addresses."""
    return ATOMIC <= rule <= CAST_SPIN


@compiled
def apply_shared_rule(
    rule: int, width: int, matrices: int, addresses: Addresses, mask: int
) -> tuple[int, int, int, int, int]:
    """Hardware wavefronts, conflicts, phases; page wavefronts and ideal of a shared request."""
    if rule == ATOMIC:
        return count_atomic(addresses, mask, width)
    if rule == CAS:
        return count_cas(addresses, mask, width)
    if rule == POPC_INC:
        return count_popc_inc(addresses, mask, width)
    if rule == CAST_SPIN:
        return count_cast_spin(mask, width)
    if rule == MATRIX:
        return count_matrix(addresses, matrices)
    return count_load_store(addresses, mask, width, rule == LOAD)


@compiled
def fill_shared(
    rule: int,
    width: int,
    matrices: int,
    addresses: Addresses,
    mask: int,
    counts: Counts,
) -> None:
    """Counts of a shared request."""
    hardware, conflicts, _, page, ideal = apply_shared_rule(
        rule, width, matrices, addresses, mask
    )
    counts[SHARED_REQUESTS] = 1
    counts[SHARED_PAGE] = page
    counts[SHARED_IDEAL] = ideal
    counts[SHARED_HARDWARE] = hardware
    counts[BANK_CONFLICTS] = conflicts


@compiled
def fill_global(
    rule: int, width: int, addresses: Addresses, mask: int, counts: Counts
) -> int:
    """Counts of a global request but its output wavefronts; the first lane of each line."""
    sectors, ideal, tags, leaders = count_global(addresses, mask, width)
    counts[GLOBAL_REQUESTS] = 1
    counts[GLOBAL_SECTORS] = sectors
    counts[GLOBAL_IDEAL] = ideal
    counts[GLOBAL_TAGS] = tags
    counts[SECTORS_HARDWARE] = sectors
    counts[TAGS_HARDWARE] = tags
    if is_atomic(rule):
        hot_sectors, hot_tags = count_atomic_hardware(addresses, mask)
        counts[SECTORS_HARDWARE] = hot_sectors
        counts[TAGS_HARDWARE] = hot_tags
    return leaders


@compiled
def fill_local(width: int, addresses: Addresses, mask: int, counts: Counts) -> None:
    """Counts of a local request."""
    requests, sectors, tags = count_local(addresses, mask, width)
    counts[LOCAL_REQUESTS] = requests
    counts[LOCAL_SECTORS] = sectors
    counts[LOCAL_TAGS] = tags


@compiled
def fill_copy(
    rule: int,
    width: int,
    targets: Addresses,
    sources: Addresses,
    mask: int,
    source_mask: int,
    counts: Counts,
) -> int:
    """Counts of an asynchronous copy but its output wavefronts; the first lane of each line.

    Hardware wavefronts are those of one round (see ``async_copy.count_cached``). Lanes that write
    zeros instead of reading take part with their target only.
    """
    leaders = fill_global(rule, width, sources, source_mask, counts)
    counts[SHARED_REQUESTS] = 1
    if rule == BYPASS:
        page, ideal, sectors, sectors_ideal = count_bypass(targets, sources, source_mask)
        counts[GLOBAL_SECTORS] = sectors
        counts[GLOBAL_IDEAL] = sectors_ideal
        counts[SHARED_PAGE] = page
        counts[SHARED_IDEAL] = ideal
        return leaders
    page, ideal, hardware, conflicts = count_cached(targets, sources, mask, width)
    counts[SHARED_PAGE] = page
    counts[SHARED_IDEAL] = ideal
    counts[SHARED_HARDWARE] = hardware
    counts[BANK_CONFLICTS] = conflicts
    return leaders
