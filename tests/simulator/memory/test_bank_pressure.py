"""Units of each bank: against plain counting, for every rule, turned round and in any order."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from request_patterns import masks, requests
from test_counters import make_kernel

import simulator as sm
from simulator.events import EVENT, Events
from simulator.isa.kernel import AccessKind, Kernel, MemoryAccess, Space
from simulator.memory.bank_pressure import BANKS, BankPressure
from simulator.memory.count import count_shared

FULL = 0xFFFFFFFF
KINDS = {
    "load": AccessKind.LOAD,
    "store": AccessKind.STORE,
    "atomic": AccessKind.ATOMIC,
    "cas": AccessKind.ATOMIC_CAS,
    "popc_inc": AccessKind.POPC_INC,
}


def kernel_of(access: MemoryAccess) -> Kernel:
    """A kernel of one memory instruction."""
    kernel = make_kernel((access,))
    return replace(kernel, instructions=(replace(kernel.instructions[1], index=0),))


def events_of(*rows: tuple[int, list[int], int]) -> Events:
    """Shared events of instruction, offsets and mask."""
    events = np.zeros(len(rows), EVENT)
    for event, (instruction, offsets, mask) in zip(events, rows, strict=True):
        event["instruction"], event["lane_mask"] = instruction, mask
        event["space"] = Space.SHARED.value
        event["addresses"] = offsets
    return events


def units(access: MemoryAccess, *requests: tuple[list[int], int]) -> list[int]:
    """Units by bank of requests (offsets and mask) of one instruction."""
    sink = BankPressure(kernel_of(access))
    sink.consume(events_of(*((0, offsets, mask) for offsets, mask in requests)))
    (row,) = sink.totals()
    return list(row.tolist())


def shared(kind: AccessKind, width: int, matrices: int = 0) -> MemoryAccess:
    return MemoryAccess(Space.SHARED, kind, width, matrices)


def test_a_row_a_column_and_a_broadcast() -> None:
    load = shared(AccessKind.LOAD, 4)
    assert units(load, ([4 * n for n in range(32)], FULL)) == [1] * BANKS
    assert units(load, ([128 * n + 20 for n in range(32)], FULL)) == [
        32 * (b == 5) for b in range(32)
    ]
    assert units(load, ([64] * 32, FULL)) == [int(b == 16) for b in range(32)]
    assert units(shared(AccessKind.ATOMIC, 4), ([64] * 32, FULL)) == [
        32 * (b == 16) for b in range(32)
    ]
    assert units(shared(AccessKind.ATOMIC_CAS, 4), ([64] * 32, 3)) == [
        4 * (b == 16) for b in range(32)
    ]
    assert units(shared(AccessKind.CAST_SPIN, 4), ([64] * 32, 3)) == [
        2 * (b == 16) for b in range(32)
    ]


def test_matrices_take_their_own_lanes_and_copies_what_they_write() -> None:
    rows = [16 * lane for lane in range(32)]
    assert units(shared(AccessKind.MATRIX_LOAD, 16, 1), (rows, FULL)) == [1] * BANKS
    assert units(shared(AccessKind.MATRIX_LOAD, 16, 4), (rows, FULL)) == [4] * BANKS
    assert units(shared(AccessKind.ASYNC_COPY, 4), ([8] * 32, 7)) == [
        3 * (b == 2) for b in range(32)
    ]
    assert units(shared(AccessKind.ASYNC_COPY_BYPASS, 16), ([0] * 32, 7)) == [1] * 4 + [0] * 28


@pytest.mark.parametrize("op", KINDS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_busiest_bank_never_works_more_than_there_are_wavefronts(
    op: str, data: st.DataObject
) -> None:
    offsets, width, mask = data.draw(
        requests().filter(lambda r: op in ("load", "store") or r[1] == 4)
    )
    found = units(shared(KINDS[op], width), (offsets, mask))
    wavefronts = count_shared(offsets, width, op, mask).wavefronts
    assert max(found) <= wavefronts
    if width <= 4:  # one phase, whose busiest bank decides
        assert max(found) == wavefronts


@settings(max_examples=40, deadline=None)
@given(
    shifts=st.lists(st.integers(0, 200), min_size=1, max_size=80),
    mask=masks,
    stride=st.integers(1, 40),
)
def test_many_requests_are_the_sum_of_each(shifts: list[int], mask: int, stride: int) -> None:
    """Shapes that repeat, turn round the banks and push each other out."""
    load, expected = shared(AccessKind.LOAD, 4), Counter[int]()
    asked = []
    for n, shift in enumerate(shifts):
        offsets = [4 * (shift + (stride + n % 7) * lane) for lane in range(32)]
        asked.append((offsets, mask))
        words = {o // 4 for lane, o in enumerate(offsets) if mask >> lane & 1}
        expected.update(word % BANKS for word in words)
    assert units(load, *asked) == [expected[bank] for bank in range(BANKS)]


def test_other_spaces_are_passed_over() -> None:
    sink = BankPressure(kernel_of(MemoryAccess(Space.GENERIC, AccessKind.LOAD, 4)))
    events = events_of((0, [0] * 32, FULL), (0, [0] * 32, FULL))
    events["space"][1] = Space.GLOBAL.value
    sink.consume(events)
    assert sink.totals().sum() == 1


SOURCE = """extern "C" __global__ void column(float* out) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[32 * (32 * blockIdx.x + threadIdx.y) + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}"""


@pytest.mark.parametrize("blocks", ["all", 4])
def test_a_replay_counts_banks_only_if_asked(blocks: str | int) -> None:
    """A sample is scaled like all other counts."""
    kernel = sm.compile_cuda(SOURCE, "column", "rtx4090")
    out = np.zeros(8 * 1024, np.float32)
    run = sm.replay(kernel, (8,), (32, 32), [out], blocks=blocks, bank_pressure=True)
    load, store = (
        next(i for i in run.instructions if i.opcode.startswith(name)) for name in ("LDS", "STS")
    )
    assert run.bank_pressure == {store.index: (8 * 32,) * BANKS, load.index: (8 * 32,) * BANKS}
    assert load.bank_conflicts == 8 * 32 * 31
    plain = sm.replay(kernel, (8,), (32, 32), [out], blocks=blocks)
    assert plain.bank_pressure is None
    assert plain.counters == run.counters
