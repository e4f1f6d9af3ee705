"""How often each bank of shared memory works, instruction by instruction, over a whole launch.

A *unit* is what a bank delivers to, or takes from, the lanes of a phase in one wavefront: a word,
or its part of the 8 or 16 bytes of a wide access. The busiest bank of each phase decides how many
wavefronts a request takes; the sums here say how the work is spread over the banks.

The counts of a shape (see ``memo``) turn with its first bank, so an instruction's places for
shapes also remember in which of the 32 banks each request began.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.device import structure
from simulator.events import EVENT, Events
from simulator.isa.kernel import Kernel
from simulator.jit import compiled, inlined, int64, pack, step
from simulator.memory.fields import Counts
from simulator.memory.lanes import (
    FIRST_LANE,
    FULL,
    Addresses,
    group_lanes,
    lanes_per_phase,
    unit_bits,
)
from simulator.memory.lower import (
    ACCESS,
    ASYNC,
    ATOMIC,
    CAS,
    CAST_SPIN,
    LOAD,
    MATRICES,
    MATRIX,
    RULE,
    SHARED,
    STORE,
    WIDTH,
    lower_accesses,
)
from simulator.memory.matrix import ROW_BYTES, ROWS
from simulator.memory.memo import (
    EVENT_WORDS,
    FIRST,
    GRAIN,
    MASK,
    WAYS,
    Memo,
    Words,
    find_access,
    find_base,
    find_shape,
    find_space,
    get_static,
    learn_shape,
    make_memo,
)
from simulator.memory.shared import hardware_group
from simulator.memory.vector import LANES, lowest_lane, same_lanes

BANKS = structure.SHARED_BANKS
_BANK_BITS = BANKS - 1
_WORD_SHIFT = 2


class _Banks(NamedTuple):
    """What the loop reads and writes besides the memo's shapes."""

    once: Counts  # (A * WAYS, BANKS) units of a shape whose first lane is in bank 0
    turns: Counts  # (A * WAYS, BANKS) requests of a shape by the bank of their first lane
    totals: Counts  # (A, BANKS)


@step
def add_units(
    once: Counts, addresses: Addresses, lanes: int, width: int, apart: bool, passes: int
) -> None:
    """Add the units of one phase; ``apart``: lanes never share one."""
    left = lanes
    while left:
        lane = lowest_lane(left)
        left &= left - 1
        earlier = same_lanes(addresses, lane, unit_bits(width)) & lanes & ((1 << lane) - 1)
        if apart or earlier == 0:
            first = (int64(addresses[lane]) & unit_bits(width)) >> _WORD_SHIFT
            for word in range(first, first + max(width >> _WORD_SHIFT, 1)):
                once[word & _BANK_BITS] += passes


@step
def add_winners(once: Counts, addresses: Addresses, lanes: int, passes: int) -> None:
    """Add one unit for each bank that lanes of one phase meet in: the others try again."""
    met = 0
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        bank = (int64(addresses[lane]) >> _WORD_SHIFT) & _BANK_BITS
        if met & (1 << bank) == 0:
            once[bank] += passes
        met |= 1 << bank


@inlined
def lanes_at_once(addresses: Addresses, mask: int, rule: int, width: int) -> int:
    """Lanes of a phase."""
    if rule in (LOAD, STORE):
        return hardware_group(addresses, mask, width, rule == LOAD)
    return ROWS if rule == MATRIX else lanes_per_phase(width)


@inlined
def is_apart(rule: int) -> bool:
    """Whether lanes that name one unit are served one after the other."""
    return rule in (ATOMIC, CAS, ASYNC)


@compiled
def fill_units(
    once: Counts, addresses: Addresses, mask: int, rule: int, width: int, matrices: int
) -> None:
    """The units of one request by bank.

    Copies count what they write: through L1 lane by lane, past it (where the shared data stage
    is not used) each 16 bytes once.
    """
    if rule == MATRIX:
        mask, width = (1 << (ROWS * matrices)) - 1, ROW_BYTES
    passes = 2 if rule in (CAS, CAST_SPIN) else 1
    group = lanes_at_once(addresses, mask, rule, width)
    phase = group_lanes(FIRST_LANE, group)
    while phase & FULL:
        if rule == CAST_SPIN:
            add_winners(once, addresses, mask & phase, passes)
        else:
            add_units(once, addresses, mask & phase, width, is_apart(rule), passes)
        phase <<= group


@step
def flush_turns(banks: _Banks, access: int, slot: int) -> None:
    """Move a shape's requests into the totals."""
    for turn in range(BANKS):
        requests = banks.turns[slot, turn]
        if requests:
            for bank in range(BANKS):
                to = (bank + turn) & _BANK_BITS
                banks.totals[access, to] += requests * banks.once[slot, bank]
            banks.turns[slot, turn] = 0


@step
def learn_units(memo: Memo, banks: _Banks, words: Words, row: int, access: int, slot: int) -> None:
    """Give a place to a new shape, with its units."""
    flush_turns(banks, access, slot)
    learn_shape(memo, words, row, access, slot)
    for bank in range(BANKS):
        banks.once[slot, bank] = 0
    shape = memo.shapes[slot, FIRST : FIRST + LANES]
    mask, rule = int64(words[row, MASK]), get_static(memo, words, row, RULE)
    width, matrices = get_static(memo, words, row, WIDTH), get_static(memo, words, row, MATRICES)
    fill_units(banks.once[slot], shape, mask, rule, width, matrices)


@compiled
def count_units(words: Words, memo: Memo, banks: _Banks) -> None:
    """Count the shared requests of a batch, one event a row of words."""
    for row in range(words.shape[0]):
        mask = int64(words[row, MASK])
        if mask == 0 or find_space(words, row) != SHARED:
            continue
        access = find_access(memo, words, row)
        slot = find_shape(memo, words, row, access)
        if slot < 0:
            slot = ~slot
            learn_units(memo, banks, words, row, access, slot)
        base = find_base(words, row, mask, GRAIN)
        banks.turns[slot, (base >> _WORD_SHIFT) & _BANK_BITS] += 1


@compiled
def flush_all(banks: _Banks) -> None:
    """Bring the totals up to date."""
    for slot in range(banks.turns.shape[0]):
        flush_turns(banks, slot // WAYS, slot)


class BankPressure:
    """An event sink that counts the units of each bank, instruction by instruction."""

    def __init__(self, kernel: Kernel) -> None:
        self._memo = make_memo(lower_accesses(kernel))
        accesses = len(self._memo.totals)
        shapes = (accesses * WAYS, BANKS)
        self._banks = _Banks(
            np.zeros(shapes, np.int64),
            np.zeros(shapes, np.int64),
            np.zeros((accesses, BANKS), np.int64),
        )
        self._packed = pack(self._memo), pack(self._banks)  # for calls of compiled functions

    def consume(self, events: Events) -> None:
        """Count a batch of ``EVENT`` records."""
        if events.dtype != EVENT:
            raise TypeError(f"expected records of {EVENT}, got {events.dtype}")
        words = np.ascontiguousarray(events).view(np.uint32).reshape(-1, EVENT_WORDS)
        count_units(words, self._packed[0], self._packed[1])

    def totals(self) -> Counts:
        """Units so far: int64[instruction, bank]."""
        flush_all(self._packed[1])
        table = self._memo.table
        totals = np.zeros((len(table), BANKS), np.int64)
        totals[table[:, ACCESS] >= 0] = self._banks.totals
        return totals
