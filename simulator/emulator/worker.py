"""One worker: the state to run blocks one after another on one core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.emulator import layout
from simulator.emulator.arena import Arena
from simulator.emulator.outside import stray_error
from simulator.emulator.program import Program
from simulator.emulator.runtime import scheduler
from simulator.emulator.runtime.state import FAULT_WORDS
from simulator.errors import ReplayError
from simulator.events import EVENT, LANES, STEP, EventSink, StepSink
from simulator.jit import bind

# Small enough to stay in a core's second-level cache with what the models keep.
EVENT_CAPACITY = 2048
# What memory holds that nobody has written: a signalling pattern, a NaN as float32.
POISON = 0x7FBADBAD

# Basic blocks that one block may run on after a bad access: what it read may steer it for ever.
RUNAWAY = 4_000_000

Dim3 = tuple[int, int, int]


def aligned(words: int, dtype: Any) -> NDArray[Any]:
    """Zeros on a 128-byte boundary."""
    size = np.dtype(dtype).itemsize
    raw = np.zeros(words * size + 128, dtype=np.uint8)
    start = -raw.ctypes.data % 128
    return raw[start : start + words * size].view(dtype)


class Worker:
    """Runs blocks of a launch and hands their events to its sinks.

    ``executed`` and ``thread_executed`` count per basic block, ``predicated_on`` per instruction
    (see layout.X_PREDICATED_ON).
    """

    def __init__(
        self,
        program: Program,
        arena: Arena,
        banks: Mapping[int, bytes],
        grid: Dim3,
        block: Dim3,
        shared_span: tuple[int, int],
        local_bytes: int,
        sinks: Sequence[EventSink],
    ) -> None:
        self.program, self.arena, self.sinks = program, arena, tuple(sinks)
        count = len(program.kernel.instructions)
        self.threads = block[0] * block[1] * block[2]
        self.warps = -(-self.threads // LANES)
        self.stride = layout.warp_words(program.kernel.registers)
        self.state = aligned(self.stride * self.warps, np.int32)
        self.events = aligned(max(EVENT_CAPACITY, int(program.needs.max())), EVENT)
        self.executed = np.zeros(len(program.blocks), dtype=np.int64)
        self.thread_executed = np.zeros(len(program.blocks), dtype=np.int64)
        self.predicated_on = np.zeros((count, 2), dtype=np.int64)
        self.faults = np.zeros((count, FAULT_WORDS), dtype=np.int64)
        self._shared = aligned(shared_span[1] // 4 + 32, np.uint32)
        self._local = aligned(max(1, local_bytes // 4 * LANES * self.warps), np.uint32)
        self._last_buffer = np.zeros(count, dtype=np.uint32)
        self._readers = tuple(s for s in self.sinks if isinstance(s, StepSink))
        self.steps = aligned(scheduler.STEP_CAPACITY if self._readers else 0, STEP)
        self._arrivals = np.zeros(16, dtype=np.uint32)
        self._banks, self._bank_table = _bank_table(banks)
        self._spans = arena.spans if len(arena.spans) else np.zeros((1, 2), dtype=np.int64)
        self.context = self._context(grid, block, shared_span, local_bytes)
        _write_thread_indices(self.state.reshape(self.warps, self.stride), block)

    def _context(
        self, grid: Dim3, block: Dim3, shared_span: tuple[int, int], local_bytes: int
    ) -> NDArray[np.int64]:
        x = aligned(layout.CONTEXT_WORDS, np.int64)
        for index, array in (
            (layout.X_SHARED, self._shared),
            (layout.X_GLOBAL, self.arena.memory),
            (layout.X_BUFFERS, self._spans),
            (layout.X_LOCAL, self._local),
            (layout.X_EVENTS, self.events),
            (layout.X_CONSTANTS, self._bank_table),
            (layout.X_PREDICATED_ON, self.predicated_on),
            (layout.X_BLOCK_OF_ADDRESS, self.program.block_of_address),
            (layout.X_LAST_BUFFER, self._last_buffer),
            (layout.X_FAULTS, self.faults),
            (layout.X_ARRIVALS, self._arrivals),
        ):
            x[index] = array.ctypes.data
        if self._readers:
            x[layout.X_STEPS] = self.steps.ctypes.data
        x[layout.X_SHARED_FIRST], x[layout.X_SHARED_BYTES] = shared_span
        x[layout.X_BUFFER_COUNT] = len(self.arena.spans)
        x[layout.X_LOCAL_BYTES] = local_bytes
        x[layout.X_LOCAL_WARP_WORDS] = local_bytes // 4 * LANES
        x[layout.X_BLOCK_DIM : layout.X_BLOCK_DIM + 3] = block
        x[layout.X_GRID_DIM : layout.X_GRID_DIM + 3] = grid
        x[layout.X_INSTRUCTIONS] = len(self.program.kernel.instructions)
        return x

    def run(self, blocks: NDArray[np.int64]) -> None:
        """Run blocks by linear index.

        Raises ReplayError when warps wait for each other for ever, or when a block with an access
        outside its buffers does not come to an end.
        """
        progress = np.zeros(4, dtype=np.int64)
        rows = self.stride // LANES - layout.HEADER_WORDS // LANES
        go_on = bind(
            scheduler.run, self.context.ctypes.data, self.program.code.addresses.ctypes.data,
            self.program.needs.ctypes.data, len(self.events), self.executed.ctypes.data,
            self.thread_executed.ctypes.data, self.state.ctypes.data, self.stride * 4,
            self.warps, self.threads, rows, POISON, blocks, progress,
        )  # fmt: skip
        position, before = -1, 0
        while True:
            why = go_on()
            if self.context[layout.X_FAULT_COUNT]:
                done = int(self.executed.sum())
                if progress[0] != position:
                    position, before = int(progress[0]), done
                elif done - before > RUNAWAY:
                    raise self._runaway(int(blocks[position]))
            if why == scheduler.DEADLOCK:
                block = int(blocks[progress[0]])
                raise self._strayed(block) or self._deadlock(block)
            if why in (scheduler.DRAIN, scheduler.FINISHED):
                self._drain()
            if why == scheduler.FINISHED:
                return

    def _drain(self) -> None:
        count = int(self.context[layout.X_EVENT_COUNT])
        steps = int(self.context[layout.X_STEP_COUNT])
        for reader in self._readers:
            reader.consume_steps(self.steps[:steps], self.events[:count])
        for sink in self.sinks:
            sink.consume(self.events[:count])
        self.context[layout.X_EVENT_COUNT] = self.context[layout.X_STEP_COUNT] = 0

    def _runaway(self, block: int) -> ReplayError:
        kernel = self.program.kernel
        first = kernel.instructions[int(np.flatnonzero(self.faults[:, 0])[0])]
        place = f"{first.source.file}:{first.source.line}" if first.source else "unknown line"
        return ReplayError(
            f"kernel {kernel.name}: block {block} does not end after an access outside every "
            f"buffer ({first.text} at {first.address:#x}, {place}); mend that first"
        )

    def _strayed(self, block: int) -> ReplayError | None:
        """The error for lanes that went where there is no code; None when none did."""
        states = self.state.reshape(self.warps, self.stride)
        strayed = states[states[:, layout.STRAY] != 0]
        if not len(strayed):
            return None
        caller = self.program.kernel.instructions[int(strayed[0, layout.CALLER])]
        return stray_error(self.program.kernel, block, int(strayed[0, layout.STRAY]), caller)

    def _deadlock(self, block: int) -> ReplayError:
        states = self.state.reshape(self.warps, self.stride)[:, layout.STATUS]
        waiting = int((states == layout.AT_BARRIER).sum())
        return ReplayError(
            f"kernel {self.program.kernel.name}: block {block} cannot go on: {waiting} of "
            f"{self.warps} warps wait at a barrier that the others never reach; check for a "
            "__syncthreads() or __syncwarp() inside a branch that not all threads take"
        )


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


def _write_thread_indices(states: NDArray[np.int32], block: Dim3) -> None:
    """The rows that no block changes: threadIdx and the lane."""
    for warp, state in enumerate(states):
        rows = state[layout.HEADER_WORDS :].reshape(-1, LANES)
        thread = np.arange(LANES) + warp * LANES
        rows[layout.ROW_TID] = thread % block[0]
        rows[layout.ROW_TID + 1] = thread // block[0] % block[1]
        rows[layout.ROW_TID + 2] = thread // (block[0] * block[1])
        rows[layout.ROW_LANE] = np.arange(LANES)
