"""One worker: the state to run blocks one after another on one core."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.emulator import layout
from simulator.emulator.arena import Arena
from simulator.emulator.place import Place, Size, aligned
from simulator.emulator.program import Program
from simulator.emulator.runtime import scheduler
from simulator.emulator.runtime.digests import digest
from simulator.emulator.runtime.state import FAULT_WORDS
from simulator.emulator.turns import Crew, Turns, deadlock
from simulator.events import EVENT, LANES, STEP, EventSink, StepSink
from simulator.jit import bind

# Handing events over takes as long as counting some thousand of them, if they are few.
EVENT_CAPACITY = 1 << 14
# What memory holds that nobody has written: a signalling pattern, a NaN as float32.
POISON = 0x7FBADBAD

_NEVER = 1 << 60  # rounds until a block is looked at that may wait for another

Go = Callable[[], int]


class Worker:
    """Runs blocks of a launch and hands their events to its sinks.

    ``executed`` and ``thread_executed`` count per basic block, ``predicated_on`` per instruction
    (see layout.X_PREDICATED_ON). ``resident`` blocks at most are under way at once; a block that
    does not wait for others runs from its start to its end. It is worker ``number`` of ``crew``.
    """

    def __init__(
        self,
        program: Program,
        arena: Arena,
        banks: Mapping[int, bytes],
        size: Size,
        sinks: Sequence[EventSink],
        resident: int,
        crew: Crew,
        number: int,
    ) -> None:
        self.program, self.arena, self.sinks = program, arena, tuple(sinks)
        self.size, self.resident = size, resident
        self.crew, self.number = crew, number
        count = len(program.kernel.instructions)
        self.events = aligned(max(EVENT_CAPACITY, int(program.needs.max())), EVENT)
        blocks = len(program.blocks)
        self._counters = np.zeros(2 * blocks + 2 * count, dtype=np.int64)
        self.executed, self.thread_executed = self._counters[: 2 * blocks].reshape(2, -1)
        self.predicated_on = self._counters[2 * blocks :].reshape(-1, 2)
        self.faults = np.zeros((count, FAULT_WORDS), dtype=np.int64)
        self._last_buffer = np.zeros(count, dtype=np.uint32)
        self._readers = tuple(s for s in self.sinks if isinstance(s, StepSink))
        self.steps = aligned(scheduler.STEP_CAPACITY if self._readers else 0, STEP)
        self._banks, self._bank_table = _bank_table(banks)
        self._spans = arena.spans if len(arena.spans) else np.zeros((1, 2), dtype=np.int64)

    def place(self) -> Place:
        """A place for one more resident block."""
        x = {
            index: array.ctypes.data
            for index, array in (
                (layout.X_GLOBAL, self.arena.memory),
                (layout.X_BUFFERS, self._spans),
                (layout.X_EVENTS, self.events),
                (layout.X_CONSTANTS, self._bank_table),
                (layout.X_PREDICATED_ON, self.predicated_on),
                (layout.X_BLOCK_OF_ADDRESS, self.program.block_of_address),
                (layout.X_LAST_BUFFER, self._last_buffer),
                (layout.X_FAULTS, self.faults),
            )
        }
        if self._readers:
            x[layout.X_STEPS] = self.steps.ctypes.data
        x[layout.X_BUFFER_COUNT] = len(self.arena.spans)
        x[layout.X_INSTRUCTIONS] = len(self.program.kernel.instructions)
        return Place(self.size, x)

    def start(self, place: Place, blocks: NDArray[np.int64], state: NDArray[np.int64]) -> Go:
        """A call that runs blocks at a place from where ``state`` says (see ``scheduler``)."""
        arguments = (*self._call(place), blocks, state)
        return bind(scheduler.run, *arguments)

    def _call(self, place: Place) -> Any:
        """What the scheduler wants to know first."""
        size, code = self.size, self.program.code
        rows = size.stride // LANES - layout.HEADER_WORDS // LANES
        return (
            place.context.ctypes.data, code.addresses.ctypes.data,
            self.program.needs.ctypes.data, len(self.events), self.executed.ctypes.data,
            self.thread_executed.ctypes.data, place.state.ctypes.data, size.stride * 4,
            size.warps, size.threads, rows, POISON,
        )  # fmt: skip

    def digests(self, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Run blocks, none of which waits for another, and get a number for what each counts: the
        same for those of which all counters are the same (but for a chance of 2 to the -64)."""
        found, state = np.zeros(len(blocks), np.int64), np.zeros(scheduler.STATE_WORDS, np.int64)
        state[scheduler.S_SLICE], state[scheduler.S_PATIENCE] = scheduler.SLICE, _NEVER
        place = self.place()
        weights = np.random.default_rng(0).integers(1, 1 << 62, len(self._counters)) | 1
        arguments = (*self._call(place), blocks, state, self._counters, weights, found)
        go = bind(digest, *arguments)
        while (why := go()) != scheduler.FINISHED:
            if why == scheduler.DEADLOCK:
                raise deadlock(self, int(blocks[state[scheduler.S_POSITION]]), place)
            self.drain(place.context)
        return found

    def run(self, blocks: NDArray[np.int64]) -> None:
        """Run blocks by linear index.

        Raises ReplayError when warps or blocks wait for each other for ever, or when a block with
        an access outside its buffers does not come to an end.
        """
        try:
            Turns(self, blocks).run()
        finally:
            self.crew.waiting[self.number] = True  # its blocks write nothing more

    def drain(self, context: NDArray[np.int64]) -> None:
        """Hand the events of a place to the sinks."""
        count = int(context[layout.X_EVENT_COUNT])
        steps = int(context[layout.X_STEP_COUNT])
        for reader in self._readers:
            reader.consume_steps(self.steps[:steps], self.events[:count])
        for sink in self.sinks:
            sink.consume(self.events[:count])
        context[layout.X_EVENT_COUNT] = context[layout.X_STEP_COUNT] = 0


def _bank_table(
    banks: Mapping[int, bytes],
) -> tuple[list[NDArray[np.uint8]], NDArray[np.int64]]:
    """Constant banks (padded for whole-word reads) and their addresses and sizes."""
    table = np.zeros((32, 2), dtype=np.int64)
    kept = []
    nothing = np.zeros(65536 + 64, dtype=np.uint8)
    table[:, 0] = nothing.ctypes.data
    kept.append(nothing)
    for number, data in banks.items():
        padded = np.zeros(max(len(data), 65536) + 64, dtype=np.uint8)
        padded[: len(data)] = np.frombuffer(data, np.uint8)
        table[number] = padded.ctypes.data, len(data)
        kept.append(padded)
    return kept, table
