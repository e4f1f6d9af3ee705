"""A launch through its caches: the compiled loop.

Blocks go round by round (a request of each warp, see ``streams``) in the order of a rough clock.
A block goes on when what it waits for is there and the SM has done its share of work for it, the
longest resident block first. That makes the blocks of an SM, and the SMs, drift about as they do.
"""

from __future__ import annotations

from simulator.jit import Int, compiled, constant, inlined, int64, step
from simulator.memory.caches.items import (
    ATOMIC,
    FULL_SHIFT,
    INSTRUCTION_SHIFT,
    KIND_SHIFT,
    LOAD,
    STORE,
)  # fmt: skip
from simulator.memory.caches.l2 import read_l2, update_l2, write_l2
from simulator.memory.caches.lru import VALID_BITS, bring, fill, set_of, slot_of
from simulator.memory.caches.state import (
    ASKED,
    CYCLES,
    LOAD_HITS,
    LOADS,
    LOCAL,
    STORE_HITS,
    STORES,
    Ints,
    Limits,
    State,
    Work,
)  # fmt: skip
from simulator.memory.vector import popcount

_MIX = constant(0x9E3779B1)
_LOW = constant(0xFFFFFFFF)
NEVER = constant(1 << 62)


@inlined
def _l2_time(limits: Limits, group: int, line: int) -> int:
    """Cycles to L2 and back: slices are nearer or farther, by line and group of SMs."""
    mixed = ((line * 8 + group) * _MIX) & _LOW
    mixed = ((mixed ^ (mixed >> 15)) * _MIX) & _LOW
    return limits.l2_latency - limits.l2_spread + ((mixed * (2 * limits.l2_spread + 1)) >> 32)


@inlined
def _window(limits: Limits, group: int, line: int, missing: int) -> int:
    """Cycles in which others may join a request."""
    mixed = ((line * 8 + group + 5) * _MIX) & _LOW
    mixed = ((mixed ^ (mixed >> 13)) * _MIX) & _LOW
    part = (mixed * 100) >> 32
    if missing == 0:
        return limits.merge_long_window if part < limits.merge_long_percent else limits.merge_window
    if part < limits.miss_short_percent:
        return limits.miss_short_window
    rest = 100 - limits.miss_short_percent
    span = limits.miss_window_to - limits.miss_window_from
    return limits.miss_window_from + (part - limits.miss_short_percent) * span // rest


@inlined
def _take_off(state: State, line: int, until: int) -> None:
    """Remember that a line is on its way from DRAM."""
    slot = slot_of(line, len(state.flight_line))
    state.flight_line[slot] = line
    state.flight_until[slot] = until


@inlined
def _in_flight(state: State, line: int, now: int) -> Int:
    """Cycles until a line is in L2; 0 if it is there."""
    slot = slot_of(line, len(state.flight_line))
    if state.flight_line[slot] != line:
        return 0
    return max(0, state.flight_until[slot] - now)


@step
def _ask(
    state: State, limits: Limits, now: int, sm: int, line: int, mask: int, totals: Ints
) -> Int:
    """Ask L2 for sectors, unless a neighbour's request can bring them along; when they are there.

    A coalescer for a group of SMs serves up to ``merge_most`` equal requests with one.
    """
    group = state.group[sm]
    totals[ASKED] += popcount(mask)
    key = line << VALID_BITS | mask
    slot = slot_of(key, state.asked_key.shape[1])
    if (
        state.asked_key[group, slot] == key
        and abs(now - state.asked_at[group, slot]) <= state.window_at[group, slot]
        and state.asked_count[group, slot] < limits.merge_most
    ):
        state.asked_count[group, slot] += 1
        return max(now, state.served_at[group, slot])
    missing = read_l2(state, limits, line, mask, totals)
    far = _l2_time(limits, group, line)
    if missing:
        far += limits.dram_latency - limits.l2_latency
        _take_off(state, line, now + far)
    else:
        wait = _in_flight(state, line, now)
        far = max(far, wait)
        missing = 1 if wait else 0
    state.asked_key[group, slot] = key
    state.asked_at[group, slot] = now
    state.window_at[group, slot] = _window(limits, group, line, missing)
    state.served_at[group, slot] = now + far
    state.asked_count[group, slot] = 1
    return now + far


@inlined
def _load(
    state: State, limits: Limits, now: int, sm: int, line: int, mask: int, local: int,
    totals: Ints,
) -> tuple[int, int]:  # fmt: skip
    """A load through L1: how many sectors hit, when all are there."""
    first = (sm * limits.l1_sets + set_of(line, limits.l1_sets)) * limits.l1_ways
    missing = mask & ~bring(state.l1, first, limits.l1_ways, line)
    count = popcount(mask)
    totals[LOADS + local] += count
    if missing == 0:
        totals[LOAD_HITS + local] += count
        return count, now + limits.l1_latency
    fill(state.l1, first, missing)
    hits = count - popcount(missing)
    totals[LOAD_HITS + local] += hits
    return hits, _ask(state, limits, now, sm, line, missing, totals)


@step
def _store(
    state: State, limits: Limits, sm: int, line: int, mask: int, full: int, stored: int,
    local: int, totals: Ints,
) -> int:  # fmt: skip
    """A store through L1 to L2; sectors stored in full can be read from L1 afterwards."""
    first = (sm * limits.l1_sets + set_of(line, limits.l1_sets)) * limits.l1_ways
    hits = popcount(mask & bring(state.l1, first, limits.l1_ways, line))
    # A thread reads no local word that it has not stored, so what part is there does not matter.
    fill(state.l1, first, mask if local else full)
    totals[STORES + local] += popcount(mask)
    totals[STORE_HITS + local] += hits
    write_l2(state, limits, line, mask, full, stored, totals)
    return hits


@inlined
def _touch(
    state: State, limits: Limits, now: int, sm: int, line: int, mask: int, info: int, full: int,
    stored: int, local: int, by_instruction: Ints, totals: Ints,
) -> Int:  # fmt: skip
    """One line of an item; when a load of it is there."""
    kind = (info >> KIND_SHIFT) & 15
    instruction = info >> INSTRUCTION_SHIFT
    by_instruction[instruction, 0] += popcount(mask)
    if kind == LOAD:
        hits, ready = _load(state, limits, now, sm, line, mask, local, totals)
        by_instruction[instruction, 1] += hits
        return ready
    if kind == STORE:
        hits = _store(state, limits, sm, line, mask, full, stored, local, totals)
        by_instruction[instruction, 1] += hits
        return now
    if kind == ATOMIC:
        update_l2(state, limits, line, mask, totals)
        return now
    totals[LOADS] += popcount(mask)
    totals[ASKED] += popcount(mask)
    read_l2(state, limits, line, mask, totals)  # not merged with others, not kept in L1
    return now + limits.l2_latency


@inlined
def _lateness(spread: int, slot: int, item: int) -> int:
    """How late a request comes: warps do not issue at the same time in every SM."""
    mixed = ((item * 512 + slot) * _MIX) & _LOW
    mixed = ((mixed ^ (mixed >> 15)) * _MIX) & _LOW
    return (mixed * spread) >> 32


@step
def _make_round(
    work: Work, state: State, limits: Limits, now: int, sm: int, slot: int, index: int,
    by_instruction: Ints, totals: Ints,
) -> int:  # fmt: skip
    """All items of one round; when the last load is there."""
    ready = now
    when = now
    between = work.between[work.template[state.slot_block[slot]]]
    spread = limits.lateness + ((between * limits.lateness_share) >> 8)
    for item in range(work.rounds[index], work.rounds[index + 1]):
        place = work.base[item]
        shift = int64(work.shift[item])
        local = 0
        if shift < 0:
            place += slot * limits.local_stride
            local = LOCAL
        else:
            place += state.shifted[slot, shift]
        info = int64(work.info[item])
        mask, full = info & 15, (info >> FULL_SHIFT) & 15
        stored = int64(work.stored[item])
        line, offset = place >> 7, (place >> 5) & 3
        here = (mask << offset) & 15
        late = when + _lateness(spread, slot, item)
        if here:
            ready = max(ready, _touch(
                state, limits, late, sm, line, here, info, (full << offset) & 15,
                (stored << (8 * offset)) & 0xFFFFFFFF, local, by_instruction, totals,
            ))  # fmt: skip
        beyond = mask >> (4 - offset)
        if beyond:
            ready = max(ready, _touch(
                state, limits, late, sm, line + 1, beyond, info, full >> (4 - offset),
                stored >> (8 * (4 - offset)), local, by_instruction, totals,
            ))  # fmt: skip
        when += limits.request_gap
    return ready


@step
def _push(state: State, count: int, time: int, slot: int) -> int:
    """Put a place into the heap; the new count."""
    at = count
    while at > 0:
        parent = (at - 1) >> 1
        if state.heap_time[parent] <= time:
            break
        state.heap_time[at] = state.heap_time[parent]
        state.heap_slot[at] = state.heap_slot[parent]
        at = parent
    state.heap_time[at], state.heap_slot[at] = time, slot
    return count + 1


@step
def _pop(state: State, count: int) -> int:
    """Take the first place off the heap; the new count."""
    count -= 1
    time, slot = state.heap_time[count], state.heap_slot[count]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= count:
            break
        if child + 1 < count and state.heap_time[child + 1] < state.heap_time[child]:
            child += 1
        if state.heap_time[child] >= time:
            break
        state.heap_time[at] = state.heap_time[child]
        state.heap_slot[at] = state.heap_slot[child]
        at = child
    state.heap_time[at], state.heap_slot[at] = time, slot
    return count


@step
def _seat(work: Work, state: State, slot: int, block: int) -> None:
    """Make a block resident."""
    state.slot_block[slot] = block
    state.slot_round[slot] = 0
    for shift in range(len(work.shifts)):
        moved = 0
        for axis in range(3):
            moved += work.shifts[shift, axis] * work.steps[block, axis]
        state.shifted[slot, shift] = moved


@step
def _instruction_of(work: Work, index: int) -> int:
    return int64(work.info[work.rounds[index]]) >> INSTRUCTION_SHIFT


@step
def _run_batch(
    work: Work, state: State, limits: Limits, now: int, sm: int, slot: int, by_instruction: Ints,
    totals: Ints,
) -> int:  # fmt: skip
    """Rounds up to the first that needs an earlier one's result; when the block can go on."""
    template = work.template[state.slot_block[slot]]
    index = work.first_round[template] + state.slot_round[slot]
    end = work.first_round[template + 1] - 1
    ready, needed, last = now, NEVER, -1
    while index < end:
        instruction = _instruction_of(work, index)
        if last >= 0 and (instruction <= last or instruction >= needed):
            break
        ready = max(ready, _make_round(
            work, state, limits, now, sm, slot, index, by_instruction, totals
        ))  # fmt: skip
        needed = min(needed, work.waits[instruction])
        last = instruction
        now += limits.request_gap * (work.rounds[index + 1] - work.rounds[index])
        index += 1
    state.slot_round[slot] = index - work.first_round[template]
    return ready


@inlined
def _serve_next(
    work: Work, state: State, places: int, now: int, sm: int, count: int, queue_from: int
) -> int:
    """Let an idle SM work for the longest resident of the blocks that wait; the heap's count."""
    best = -1
    for slot in range(sm * places, (sm + 1) * places):
        if state.slot_waits[slot] and (best < 0 or state.slot_block[slot] < state.slot_block[best]):
            best = slot
    if best < 0:
        return count
    state.slot_waits[best] = 0
    state.sm_free[sm] = 1
    time = now + work.between[work.template[state.slot_block[best]]]
    return _push(state, count, time, best + queue_from)


@compiled
def run_launch(
    work: Work, state: State, limits: Limits, places: int, first: Ints, rest: Ints,
    by_instruction: Ints, totals: Ints,
) -> None:  # fmt: skip
    """Run blocks: ``first`` by place (-1: none), then ``rest`` where a place becomes free.

    In the heap a place stands for its block being ready for work, a place further on by their
    number for that work being done.
    """
    slots = len(first)
    count = 0
    for slot in range(slots):
        state.slot_waits[slot] = 0
        if first[slot] >= 0:
            _seat(work, state, slot, first[slot])
            count = _push(state, count, slot % places * limits.start_gap, slot + slots)
    following = 0
    now = 0
    while count > 0:
        now, entry = state.heap_time[0], state.heap_slot[0]
        count = _pop(state, count)
        slot = entry % slots
        sm = slot // places
        if entry < slots:
            state.slot_waits[slot] = 1
            if state.sm_free[sm] == 0:
                count = _serve_next(work, state, places, now, sm, count, slots)
            continue
        if state.slot_round[slot] > 0:
            state.sm_free[sm] = 0
            count = _serve_next(work, state, places, now, sm, count, slots)
        template = work.template[state.slot_block[slot]]
        index = work.first_round[template] + state.slot_round[slot]
        if index < work.first_round[template + 1] - 1:
            ready = _run_batch(work, state, limits, now, sm, slot, by_instruction, totals)
            count = _push(state, count, ready, slot)
        elif following < len(rest):
            _seat(work, state, slot, rest[following])
            following += 1
            count = _push(state, count, now + limits.start_gap, slot + slots)
    totals[CYCLES] = now
