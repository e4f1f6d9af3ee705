"""How the data stage takes a shared request: which lanes together, and when one waits for another.

Phases are groups of lanes that are taken at once; those of a wide load may merge two by two (see
:mod:`simulator.memory.shared`). A matrix access has a phase a matrix, of the eight lanes that give
its rows. An asynchronous copy's phases are those of a store of its width; its lanes wait for each
other where they meet in a bank of what they write or of what they read. A copy past L1 has no
phases: its lanes are grouped by the sectors they move (:mod:`simulator.memory.bypass_copy`), eight
lanes of 16 bytes to a wavefront at best.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from simulator.instruction_mix import instruction_form
from simulator.isa.access import memory_access
from simulator.isa.kernel import AccessKind
from simulator.memory.bypass_copy import number_wavefronts
from simulator.memory.explain import explain
from simulator.memory.matrix import ROW_BYTES, ROWS
from simulator.memory.shared import hardware_group
from simulator.results import InstructionRecord, SharedExample

LANES = 32
WORD_BYTES = 4
LINE_BYTES = 128
FULL_WAVEFRONT = 8  # lanes of 16 bytes


class Kind(Enum):
    """What a request is, as far as its lanes wait for each other in different ways."""

    PLAIN = "load or store"  # lanes that name one unit share it
    QUEUED = "atomic"  # lanes in one bank queue, whatever they name
    SPIN = "try of a compare-and-swap"  # lanes that lose a bank try again: nobody waits
    MATRIX = "matrix access"
    COPY = "copy through L1"
    BYPASS = "copy past L1"


_KINDS = {
    AccessKind.ATOMIC: Kind.QUEUED,
    AccessKind.REDUCTION: Kind.QUEUED,
    AccessKind.ATOMIC_CAS: Kind.QUEUED,
    AccessKind.CAST_SPIN: Kind.SPIN,
    AccessKind.MATRIX_LOAD: Kind.MATRIX,
    AccessKind.MATRIX_STORE: Kind.MATRIX,
    AccessKind.ASYNC_COPY: Kind.COPY,
    AccessKind.ASYNC_COPY_BYPASS: Kind.BYPASS,
}


@dataclass(frozen=True)
class Rule:
    """``phase_lanes`` are taken at once; ``merged``: that is twice the usual number.

    ``lane_mask`` are the lanes whose addresses count, ``unit_bytes`` what each of them accesses, at
    least a word.
    """

    kind: Kind
    phase_lanes: int
    merged: bool
    lane_mask: int
    unit_bytes: int

    @property
    def serialised(self) -> bool:
        """Whether lanes that name one unit are served one after the other."""
        return self.kind in (Kind.QUEUED, Kind.COPY)

    def active_lanes(self) -> list[int]:
        """Lanes that count, in order."""
        return [lane for lane in range(LANES) if self.lane_mask >> lane & 1]


def request_rule(record: InstructionRecord, example: SharedExample) -> Rule:
    """The rule for a request of an instruction."""
    access = memory_access(*instruction_form(record))
    kind = _KINDS.get(access.kind, Kind.PLAIN) if access else Kind.PLAIN
    if access and kind is Kind.MATRIX:
        mask = (1 << ROWS * access.matrices) - 1
        return Rule(kind, int(ROWS), False, mask, int(ROW_BYTES))
    if kind is Kind.BYPASS:
        return Rule(kind, LANES, False, example.lane_mask, example.width_bytes)
    is_load = access is not None and access.kind is AccessKind.LOAD
    asked = (_row(example), example.lane_mask, example.width_bytes)
    usual, group = (int(hardware_group(*asked, merges)) for merges in (False, is_load))
    unit = max(example.width_bytes, WORD_BYTES)
    return Rule(kind, group, group > usual, example.lane_mask, unit)


def _row(example: SharedExample) -> NDArray[np.uint32]:
    active = [o if example.lane_mask >> n & 1 else 0 for n, o in enumerate(example.offsets)]
    return np.array(active, np.uint32)


def meetings(example: SharedExample, rule: Rule) -> dict[int, int]:
    """For each lane of a copy through L1: the lanes of its phase that it meets, itself included."""
    found = {}
    for lane in rule.active_lanes():
        first = lane // rule.phase_lanes * rule.phase_lanes
        others = [n for n in rule.active_lanes() if first <= n < first + rule.phase_lanes]
        found[lane] = sum(_meet(example, rule, lane, other) for other in others)
    return found


def _meet(example: SharedExample, rule: Rule, one: int, other: int) -> bool:
    same_target = _bank(example.offsets[one], rule) == _bank(example.offsets[other], rule)
    return same_target or (
        bool(example.sources)
        and _bank(source_of(example, one), rule) == _bank(source_of(example, other), rule)
    )


def source_of(example: SharedExample, lane: int) -> int:
    """What a lane of a copy reads; a lane that writes zeros counts as reading its target."""
    reads = example.source_mask >> lane & 1
    return example.sources[lane] if reads else example.offsets[lane]


def _bank(offset: int, rule: Rule) -> int:
    return offset % LINE_BYTES // rule.unit_bytes


def bypass_wavefronts(example: SharedExample) -> dict[int, int]:
    """For each lane of a copy past L1 whose source is known: the wavefront it goes in, from 0."""
    if not example.sources:
        return {}
    numbers = np.full(LANES, -1, np.int64)
    sources = np.array(example.sources, np.uint32)
    number_wavefronts(_row(example), sources, example.source_mask, numbers)
    return {lane: int(number) for lane, number in enumerate(numbers) if number >= 0}


def reading(example: SharedExample, rule: Rule) -> str:
    """What the lanes do to the banks, in one short line; empty where there is nothing to say."""
    if rule.kind in (Kind.COPY, Kind.BYPASS):
        return _copy_reading(example, rule)
    if rule.kind is Kind.SPIN:
        return "lanes that lose a bank try again"
    words = {Kind.QUEUED: "atomic", Kind.MATRIX: "store"}
    operation = words.get(rule.kind, "load" if rule.merged else "store")
    width = rule.unit_bytes if rule.kind is Kind.MATRIX else example.width_bytes
    return explain(example.offsets, rule.lane_mask, width, operation)


def _copy_reading(example: SharedExample, rule: Rule) -> str:
    if not example.sources:
        return "what the copy reads is not in this run, and decides too who waits"
    if rule.kind is Kind.BYPASS:
        count = len(set(bypass_wavefronts(example).values()))
        return f"its sectors move in {count} wavefronts"
    written = max(meetings(_without_sources(example), rule).values(), default=0)
    together = max(meetings(example, rule).values(), default=0)
    if together == 1:
        return "no two lanes of a phase meet"
    where = "they write" if written == together else "they read"
    return f"up to {together} lanes of a phase meet in a bank of what {where}"


def _without_sources(example: SharedExample) -> SharedExample:
    return SharedExample(
        example.instruction,
        example.lane_mask,
        example.offsets,
        example.width_bytes,
        example.wavefronts,
    )
