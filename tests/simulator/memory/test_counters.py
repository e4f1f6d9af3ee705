"""Counting events with remembered shapes must give what the rules give one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from request_patterns import FULL, masks, offsets

from simulator.errors import ReplayError
from simulator.events import EVENT, Events
from simulator.isa.kernel import AccessKind, Instruction, Kernel, MemoryAccess, Space
from simulator.memory.async_copy import count_cached, count_cached_hardware
from simulator.memory.atomics import (
    count_atomic,
    count_cas,
    count_cast_spin,
    count_popc_inc,
)
from simulator.memory.bypass_copy import count_bypass
from simulator.memory.counters import MemoryCounter
from simulator.memory.fields import FIELDS
from simulator.memory.global_memory import (
    count_atomic_hardware,
    count_global,
    output_wavefronts,
    output_wavefronts_atomic,
)
from simulator.memory.local import count_local
from simulator.memory.matrix import count_matrix
from simulator.memory.shared import count_load_store
from simulator.results import COUNT_FIELDS

ATOMICS = {
    AccessKind.ATOMIC: count_atomic,
    AccessKind.REDUCTION: count_atomic,
    AccessKind.ATOMIC_CAS: count_cas,
    AccessKind.POPC_INC: count_popc_inc,
}
COPIES = (AccessKind.ASYNC_COPY, AccessKind.ASYNC_COPY_BYPASS)
ACCESSES = (
    MemoryAccess(Space.SHARED, AccessKind.LOAD, 4),
    MemoryAccess(Space.SHARED, AccessKind.LOAD, 16),
    MemoryAccess(Space.SHARED, AccessKind.STORE, 8),
    MemoryAccess(Space.SHARED, AccessKind.ATOMIC, 4),
    MemoryAccess(Space.SHARED, AccessKind.REDUCTION, 8),
    MemoryAccess(Space.SHARED, AccessKind.ATOMIC_CAS, 4),
    MemoryAccess(Space.SHARED, AccessKind.POPC_INC, 4),
    MemoryAccess(Space.SHARED, AccessKind.CAST_SPIN, 4),
    MemoryAccess(Space.SHARED, AccessKind.MATRIX_LOAD, 16, 4),
    MemoryAccess(Space.SHARED, AccessKind.MATRIX_STORE, 16, 2),
    MemoryAccess(Space.GLOBAL, AccessKind.LOAD, 4),
    MemoryAccess(Space.GLOBAL, AccessKind.STORE, 16),
    MemoryAccess(Space.GLOBAL, AccessKind.ATOMIC, 4),
    MemoryAccess(Space.GLOBAL, AccessKind.REDUCTION, 8),
    MemoryAccess(Space.LOCAL, AccessKind.LOAD, 8),
    MemoryAccess(Space.GENERIC, AccessKind.LOAD, 4),
    MemoryAccess(Space.GENERIC, AccessKind.ATOMIC, 4),
    MemoryAccess(Space.SHARED, AccessKind.ASYNC_COPY, 4),
    MemoryAccess(Space.SHARED, AccessKind.ASYNC_COPY, 16),
    MemoryAccess(Space.SHARED, AccessKind.ASYNC_COPY_BYPASS, 16),
)


def make_kernel(accesses: tuple[MemoryAccess, ...] = ACCESSES) -> Kernel:
    """A kernel whose odd instructions touch memory."""
    instructions = tuple(
        Instruction(n, 16 * n, "OP", (), (), None, "OP", access=accesses[n // 2] if n % 2 else None)
        for n in range(2 * len(accesses))
    )
    return Kernel("test", 89, instructions, 32, 0, 0, 0, (), 0x160, b"")


KERNEL = make_kernel()
Totals = dict[str, int]


def direct_shared(access: MemoryAccess, where: np.ndarray, mask: int) -> Totals:
    """Counts of one shared request straight from its rule."""
    width, kind = access.width_bytes, access.kind
    if kind in ATOMICS:
        numbers = ATOMICS[kind](where, mask, width)
    elif kind is AccessKind.CAST_SPIN:
        numbers = count_cast_spin(mask, width)
    elif access.matrices:
        numbers = count_matrix(where, access.matrices)
    else:
        numbers = count_load_store(where, mask, width, kind is AccessKind.LOAD)
    return {
        "shared_requests": 1,
        "shared_wavefronts_hardware": numbers[0],
        "bank_conflicts": numbers[1],
        "shared_wavefronts": numbers[3],
        "shared_wavefronts_ideal": numbers[4],
    }


def direct_global(access: MemoryAccess, where: np.ndarray, mask: int) -> Totals:
    """Counts of one global request straight from its rule."""
    sectors, ideal, tags, leaders = count_global(where, mask, access.width_bytes)
    hardware, output = (sectors, tags), output_wavefronts(where, leaders)
    if access.kind in ATOMICS:
        hardware = count_atomic_hardware(where, mask)
        output = output_wavefronts_atomic(where, mask)
    return {
        "global_requests": 1,
        "global_sectors": sectors,
        "global_sectors_ideal": ideal,
        "global_tags": tags,
        "global_bytes_used": touched_bytes(where, mask, access.width_bytes),
        "global_sectors_hardware": hardware[0],
        "global_tags_hardware": hardware[1],
        "global_output_wavefronts": output,
    }


def direct_copy(
    access: MemoryAccess, targets: np.ndarray, sources: np.ndarray, mask: int
) -> Totals:
    """Counts of one asynchronous copy straight from its rule."""
    totals = direct_global(access, sources, mask) | {"shared_requests": 1}
    if access.kind is AccessKind.ASYNC_COPY_BYPASS:
        page, ideal, sectors, sectors_ideal = count_bypass(targets, sources, mask)
        totals |= {"global_sectors": sectors, "global_sectors_ideal": sectors_ideal}
    else:
        page, ideal, _, _ = count_cached(targets, sources, mask, access.width_bytes)
        hardware = count_cached_hardware(targets, sources, mask, access.width_bytes)
        totals |= dict(zip(("shared_wavefronts_hardware", "bank_conflicts"), hardware, strict=True))
    return totals | {"shared_wavefronts": page, "shared_wavefronts_ideal": ideal}


def direct_local(access: MemoryAccess, where: np.ndarray, mask: int) -> Totals:
    """Counts of one local request straight from its rule."""
    numbers = count_local(where, mask, access.width_bytes)
    names = ("requests", "sectors", "sectors_ideal", "tags", "bytes_used")
    return {f"local_{name}": number for name, number in zip(names, numbers, strict=True)}


def touched_bytes(where: np.ndarray, mask: int, width: int) -> int:
    """Different bytes that the active lanes touch, one by one."""
    lanes = [lane for lane in range(32) if mask >> lane & 1]
    return len({int(where[lane]) + byte for lane in lanes for byte in range(width)})


def direct(events: Events) -> np.ndarray:
    """Totals of all events, each counted by itself."""
    totals = np.zeros((len(KERNEL.instructions), len(FIELDS)), np.int64)
    target: Events | None = None
    for event in events:
        access = KERNEL.instructions[event["instruction"]].access
        assert access is not None
        where, mask, space = event["addresses"], int(event["lane_mask"]), Space(int(event["space"]))
        if access.kind in COPIES:
            if space is Space.SHARED:
                target = where
                continue
            counted = direct_copy(access, target, where, mask)
        elif space is Space.SHARED:
            counted = direct_shared(access, where, mask)
        elif space is Space.GLOBAL:
            counted = direct_global(access, where, mask)
        else:
            counted = direct_local(access, where, mask)
        for name, value in counted.items():
            totals[event["instruction"], FIELDS.index(name)] += value
    return totals


def make_event(number: int, space: Space, mask: int, addresses: np.ndarray) -> Events:
    """One event of the number-th access."""
    event = np.zeros(1, EVENT)
    event["instruction"] = 2 * number + 1
    event["lane_mask"] = mask
    event["space"] = space.value
    event["addresses"] = addresses & 0xFFFFFFFF
    return event


@st.composite
def access_events(draw: st.DrawFn) -> Events:
    """The events of one access that repeats a shape at several places."""
    number = draw(st.integers(0, len(ACCESSES) - 1))
    access = ACCESSES[number]
    space = access.space
    if space is Space.GENERIC:
        space = draw(st.sampled_from([Space.SHARED, Space.GLOBAL, Space.LOCAL]))
        if access.kind is AccessKind.ATOMIC and space is Space.LOCAL:
            space = Space.SHARED
    mask = FULL if access.matrices else draw(masks)
    base = np.array(draw(offsets(access.width_bytes, 1 << 14)), np.int64)
    source = np.array(draw(offsets(access.width_bytes, 1 << 18)), np.int64)
    moves = draw(st.lists(st.integers(0, 1 << 20), min_size=1, max_size=4))
    events = []
    for move in moves:
        events.append(make_event(number, space, mask, base + move * 16))
        if access.kind in COPIES:
            events.append(make_event(number, Space.GLOBAL, mask, source + move * 16))
    return np.concatenate(events)


streams = st.lists(access_events(), min_size=1, max_size=12).map(np.concatenate)


def count_in_batches(events: Events, sizes: list[int]) -> MemoryCounter:
    """Count a stream cut into batches of these sizes, over and over."""
    counter = MemoryCounter(KERNEL)
    start, turn = 0, 0
    while start < len(events):
        size = sizes[turn % len(sizes)]
        counter.consume(events[start : start + size].copy())
        start, turn = start + size, turn + 1
    return counter


@settings(max_examples=60)
@given(streams, st.lists(st.integers(1, 20), min_size=1, max_size=4))
def test_equal_to_the_rules_event_by_event(events: Events, sizes: list[int]) -> None:
    counted = count_in_batches(events, sizes).totals()
    np.testing.assert_array_equal(counted, direct(events))


@settings(max_examples=20)
@given(streams, streams)
def test_merging_adds(first: Events, second: Events) -> None:
    one, other = MemoryCounter(KERNEL), MemoryCounter(KERNEL)
    one.consume(first)
    other.consume(second)
    one.merge(other)
    np.testing.assert_array_equal(one.totals(), direct(first) + direct(second))
    worst = {example.instruction: example.wavefronts for example in one.examples()}
    both = count_in_batches(np.concatenate([first, second]), [7])
    assert worst == {example.instruction: example.wavefronts for example in both.examples()}


def test_more_shapes_than_places() -> None:
    random = np.random.default_rng(3)
    rows = random.integers(0, 4096, (3000, 32)) * 4
    events = np.concatenate([make_event(0, Space.SHARED, FULL, row) for row in rows])
    counter = MemoryCounter(KERNEL)
    for _ in range(3):
        counter.consume(events)
    np.testing.assert_array_equal(counter.totals(), 3 * direct(events))


def test_the_worst_request_is_remembered() -> None:
    calm, worse = 4 * np.arange(32), 256 + 128 * np.arange(32)
    counter = MemoryCounter(KERNEL)
    for row in (calm, worse, calm):
        counter.consume(make_event(0, Space.SHARED, 0xFF, row))
    (example,) = counter.examples()
    assert (example.instruction, example.lane_mask, example.width_bytes) == (1, 0xFF, 4)
    assert example.wavefronts == 8
    assert example.offsets == (*worse[:8].tolist(), *([0] * 24))


def test_counts_are_named_as_in_the_results() -> None:
    counter = MemoryCounter(KERNEL)
    counter.consume(make_event(0, Space.SHARED, FULL, 128 * np.arange(32)))
    counts = counter.counts()
    assert set(COUNT_FIELDS) - set(counts) == {
        "executed",
        "thread_executed",
        "thread_executed_predicated_on",
    }
    assert counts["shared_wavefronts"].tolist()[:2] == [0, 32]
    assert all(len(column) == len(KERNEL.instructions) for column in counts.values())


def test_a_copy_that_only_writes_zeros_counts_its_target() -> None:
    number = ACCESSES.index(MemoryAccess(Space.SHARED, AccessKind.ASYNC_COPY, 16))
    counter = MemoryCounter(KERNEL)
    counter.consume(make_event(number, Space.SHARED, FULL, 16 * np.arange(32)))
    counts = {name: int(column[2 * number + 1]) for name, column in counter.counts().items()}
    assert counts["shared_requests"] == 1
    assert counts["shared_wavefronts"] == 4
    assert counts["global_requests"] == 0


def test_foreign_events_are_refused() -> None:
    counter = MemoryCounter(KERNEL)
    for instruction in (0, 999):
        event = make_event(0, Space.SHARED, FULL, np.zeros(32, np.int64))
        event["instruction"] = instruction
        with pytest.raises(ReplayError, match=f"instruction {instruction}"):
            counter.consume(event)
    narrow = MemoryCounter(make_kernel((MemoryAccess(Space.GLOBAL, AccessKind.LOAD, 4),)))
    with pytest.raises(ReplayError, match="instruction 1 is in another memory space"):
        narrow.consume(make_event(0, Space.SHARED, FULL, np.zeros(32, np.int64)))
    with pytest.raises(ReplayError, match="merge counters of one kernel"):
        counter.merge(MemoryCounter(make_kernel(ACCESSES[:3])))
    with pytest.raises(TypeError, match="expected records"):
        counter.consume(np.zeros(3, np.uint32))


def test_a_kernel_without_memory_has_no_counts() -> None:
    counter = MemoryCounter(make_kernel(()))
    counter.consume(np.zeros(0, EVENT))
    assert counter.totals().shape == (0, len(FIELDS))
    assert counter.examples() == ()
