"""Memory counts of a launch, instruction by instruction, from its events."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.errors import ReplayError
from simulator.events import EVENT, Events
from simulator.isa.kernel import Kernel
from simulator.jit import pack
from simulator.memory.copies import drop_target
from simulator.memory.families import choose_learners
from simulator.memory.fields import FIELD_COUNT, FIELDS, Counts
from simulator.memory.known import Rows, count_known
from simulator.memory.lower import ACCESS, ASYNC, RULE, WIDTH, lower_accesses
from simulator.memory.memo import EVENT_WORDS, INSTRUCTION, Memo, Words, flush, make_memo
from simulator.results import SharedExample

EVENTS_AHEAD = 8  # whose shapes are fetched while one is counted


class MemoryCounter:
    """An event sink that counts requests, wavefronts, sectors and tags.

    ``counts`` gives int64 arrays with one entry an instruction of the kernel. One counter serves
    one worker; ``merge`` adds another worker's counts. Read it when all events are in: a copy cut
    in two by a reading is counted as two. See ``fields.FIELDS`` for what is counted.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._memo = make_memo(lower_accesses(kernel))
        self._packed: Memo = pack(self._memo)  # for calls of compiled functions
        self._places = pack(np.empty(EVENTS_AHEAD, np.int64))
        self._learners = choose_learners(kernel)

    def consume(self, events: Events) -> None:
        """Count a batch of ``EVENT`` records."""
        if events.dtype != EVENT:
            raise TypeError(f"expected records of {EVENT}, got {events.dtype}")
        words = np.ascontiguousarray(events).view(np.uint32).reshape(-1, EVENT_WORDS)
        unknown = np.empty(len(words), np.int64)
        left = count_known(words, self._packed, unknown, self._places)
        if left < 0:
            instruction = int(events["instruction"][~left])
            self._refuse(f"instruction {instruction} is not a memory instruction")
        if left:
            self._learn(words, unknown[:left])

    def _learn(self, words: Words, rows: Rows) -> None:
        counted = [learn(words, rows, self._packed) for learn in self._learners]
        if min(counted) < 0 or sum(counted) != len(rows):
            instructions = sorted(set(words[rows, INSTRUCTION].tolist()))
            listed = ", ".join(str(instruction) for instruction in instructions)
            self._refuse(f"an event of instruction {listed} is in another memory space")

    def _refuse(self, reason: str) -> None:
        raise ReplayError(f"{self._kernel.name}: {reason}; count with the kernel that was replayed")

    def counts(self) -> dict[str, Counts]:
        """Totals so far by field name, each an int64 array over the kernel's instructions."""
        totals = self.totals()
        return {name: totals[:, column].copy() for column, name in enumerate(FIELDS)}

    def totals(self) -> Counts:
        """Totals so far as one int64 array (instruction, field)."""
        self._flush()
        totals = np.zeros((len(self._kernel.instructions), FIELD_COUNT), np.int64)
        totals[self._instructions()] = self._memo.totals
        return totals

    def examples(self) -> tuple[SharedExample, ...]:
        """The request with the most shared wavefronts of every instruction that made one."""
        self._flush()
        memo = self._memo
        return tuple(
            SharedExample(
                instruction=int(instruction),
                lane_mask=int(memo.worst_mask[access]),
                offsets=tuple(int(offset) for offset in memo.worst_offsets[access]),
                width_bytes=int(memo.table[instruction, WIDTH]),
                wavefronts=int(memo.worst[access]),
                **self._sources(access, int(memo.table[instruction, RULE])),
            )
            for access, instruction in enumerate(self._instructions())
            if memo.worst[access]
        )

    def _sources(self, access: int, rule: int) -> dict[str, Any]:
        """What the worst request of a copy reads."""
        if rule < ASYNC:
            return {}
        sources = tuple(int(offset) for offset in self._memo.worst_sources[access])
        return {"sources": sources, "source_mask": int(self._memo.worst_source_mask[access])}

    def take(self) -> tuple[Counts, tuple[SharedExample, ...]]:
        """Totals and examples so far, which start again from nothing; shapes stay known."""
        found = self.totals(), self.examples()
        self._memo.totals[:] = 0
        self._memo.worst[:] = 0
        return found

    def merge(self, other: MemoryCounter) -> None:
        """Add the counts of another counter of the same kernel, and keep the worse examples."""
        if not np.array_equal(self._memo.table, other._memo.table):
            raise ReplayError(
                f"counts of {other._kernel.name!r} cannot be added to those of "
                f"{self._kernel.name!r}; merge counters of one kernel"
            )
        self._flush()
        other._flush()
        mine, theirs = self._memo, other._memo
        mine.totals[:] += theirs.totals
        worse = theirs.worst > mine.worst
        worsts = [name for name in mine._fields if name.startswith("worst")]
        for name in worsts:
            getattr(mine, name)[worse] = getattr(theirs, name)[worse]

    def _flush(self) -> None:
        if self._memo.is_pending[0]:
            drop_target(self._memo)
        flush(self._memo)

    def _instructions(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._memo.table[:, ACCESS] >= 0)
