"""A launch on the emulator: memory, constants, workers, and what they counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.arena import Arena, build_arena
from simulator.emulator.constants import WORKSPACE_BYTES, launch_bank, reads_workspace
from simulator.emulator.module_data import module_variables, relocated_banks
from simulator.emulator.place import Size
from simulator.emulator.program import Program, build_program
from simulator.emulator.turns import Crew, run_alone
from simulator.emulator.worker import Worker
from simulator.events import EventSink
from simulator.isa.kernel import Kernel

Dim3 = tuple[int, int, int]
# From sm_90 on the first KiB of shared memory belongs to the system (shared window layout).
_RESERVED_FROM_SM_90 = 0x400
_LOCAL_SLACK = 64
_DEFAULT_STACK = 1024  # what the driver gives a thread when nobody asks for more


def _stack_bytes(kernel: Kernel) -> int:
    """Stack of a thread; with calls at least the default limit, as recursion has no known depth."""
    calls = any(i.opcode == "CALL" for i in kernel.instructions)
    return max(kernel.stack_bytes, _DEFAULT_STACK if calls and kernel.stack_bytes else 0)


@dataclass(frozen=True, slots=True)
class Fault:
    """The first access of an instruction outside every buffer, and how many lanes did it."""

    instruction: int
    count: int
    block: int
    thread: int
    address: int


@dataclass(frozen=True)
class Execution:
    """Per instruction: warps, active lanes, lanes whose guard held, lanes for which a branch's
    second predicate held too (else those whose guard held); the faults; and whether any block
    waited for another one."""

    executed: NDArray[np.int64]
    thread_executed: NDArray[np.int64]
    predicated_on: NDArray[np.int64]
    both_on: NDArray[np.int64]
    faults: tuple[Fault, ...]
    waited: bool


class Launch:
    """Memory and constants of one launch; blocks can be run in any number and order.

    ``resident`` blocks at most are under way at once, where they wait for each other.
    """

    resident = 1 << 12

    def __init__(
        self, program: Program, grid: Dim3, block: Dim3, shared_bytes: int, arguments: Sequence[Any]
    ) -> None:
        self.program, self.grid, self.block = program, grid, block
        self.arguments = tuple(arguments)
        buffers = [a for a in self.arguments if isinstance(a, np.ndarray)]
        variables = module_variables(program.kernel)
        kernel = program.kernel
        workspace = [np.zeros(WORKSPACE_BYTES, np.uint8)] if reads_workspace(kernel) else []
        buffers += workspace
        self.arena: Arena = build_arena(buffers, list(variables.values()))
        places = {name: len(buffers) + n for n, name in enumerate(variables)}
        self.banks = relocated_banks(kernel, self.arena, places)
        first = _RESERVED_FROM_SM_90 if kernel.architecture >= 90 else 0
        self.shared_span = (first, first + kernel.static_shared_bytes + shared_bytes)
        self.local_bytes = -(-(_stack_bytes(kernel) + _LOCAL_SLACK) // 16) * 16
        self.banks[0] = launch_bank(
            kernel, grid, block, self.local_bytes - _LOCAL_SLACK, self.arguments, self.arena
        )

    def without(self, left_out: frozenset[int], watched: frozenset[int] = frozenset()) -> Launch:
        """The same launch, same memory, that leaves some instructions out (by index). Results of
        those ``watched`` make a difference to ``digests``."""
        if not left_out and not watched:
            return self
        found = copy(self)
        found.program = build_program(self.program.kernel, left_out, watched)
        return found

    def fresh(self) -> Launch:
        """The same launch with its memory as it was before any block ran."""
        shared = self.shared_span[1] - self.shared_span[0]
        dynamic = shared - self.program.kernel.static_shared_bytes
        found = Launch(self.program, self.grid, self.block, dynamic, self.arguments)
        found.resident = self.resident
        return found

    def count_work(self, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Warp-instructions of each of some blocks, which are run one after another."""
        worker = self._worker((), Crew([False]), 0)
        sizes = np.bincount(self.program.block_of_instruction, minlength=len(worker.executed))
        total = np.zeros(len(blocks), np.int64)
        for position in run_alone(worker, blocks):
            total[position] = worker.executed @ sizes
        return np.diff(total, prepend=0)

    def digests(self, blocks: NDArray[np.int64], workers: int) -> NDArray[np.int64]:
        """A number for each of some blocks, the same for those that execute every instruction as
        often as each other and for as many lanes."""
        shares = [blocks[n::workers].copy() for n in range(workers)]
        crew = [self._worker((), Crew([False]), 0) for _ in shares]
        found = np.zeros(len(blocks), np.int64)
        with ThreadPoolExecutor(workers) as pool:
            parts = pool.map(lambda worker, share: worker.digests(share), crew, shares)
            for n, part in enumerate(parts):
                found[n::workers] = part
        return found

    def run(
        self,
        blocks: NDArray[np.int64],
        make_sinks: Callable[[], Sequence[EventSink]] = tuple,
        workers: int = 1,
    ) -> Execution:
        """Run blocks (linear indices), shared out over ``workers`` threads.

        ``make_sinks`` is called once a worker. Kernels with atomics on global memory keep the
        order of blocks, so they take one worker.
        """
        workers = max(1, min(workers, len(blocks)))
        if workers > 1 and self._ordered():
            workers = 1
        all_of_them = Crew([False] * workers)
        crew = [self._worker(make_sinks(), all_of_them, n) for n in range(workers)]
        if workers == 1:
            crew[0].run(blocks)
        else:
            with ThreadPoolExecutor(workers) as pool:
                jobs = [pool.submit(w.run, blocks[n::workers].copy()) for n, w in enumerate(crew)]
                for job in jobs:
                    job.result()
        return self._execution(crew)

    def _ordered(self) -> bool:
        return any(
            i.opcode in ("ATOMG", "ATOM", "RED", "REDG") for i in self.program.kernel.instructions
        )

    def _worker(self, sinks: Sequence[EventSink], crew: Crew, number: int) -> Worker:
        registers = self.program.kernel.registers
        size = Size(registers, self.grid, self.block, self.shared_span, self.local_bytes)
        room = max(1, self.resident // len(crew.waiting))
        return Worker(self.program, self.arena, self.banks, size, sinks, room, crew, number)

    def _execution(self, crew: Sequence[Worker]) -> Execution:
        program = self.program
        home = program.block_of_instruction
        executed = np.sum([w.executed for w in crew], axis=0)[home]
        threads = np.sum([w.thread_executed for w in crew], axis=0)[home]
        counted = np.sum([w.predicated_on for w in crew], axis=0)
        on = np.where(program.guarded, counted[:, 0], threads)
        both = np.where(program.twice, counted[:, 1], on)
        return Execution(executed, threads, on, both, self._faults(crew), crew[0].crew.waited)

    def _faults(self, crew: Sequence[Worker]) -> tuple[Fault, ...]:
        found = []
        for index in np.flatnonzero(np.sum([w.faults[:, 0] for w in crew], axis=0)):
            records = [w.faults[index] for w in crew if w.faults[index, 0]]
            first = min(records, key=lambda r: (r[1], r[2], r[3]))
            count = int(sum(r[0] for r in records))
            thread = int(first[2]) * 32 + int(first[3])
            found.append(Fault(int(index), count, int(first[1]), thread, int(first[4])))
        return tuple(found)

    def outputs(self) -> dict[int, NDArray[Any]]:
        """Every buffer after the blocks run so far, by argument position."""
        found: dict[int, NDArray[Any]] = {}
        for position, argument in enumerate(self.arguments):
            if isinstance(argument, np.ndarray):
                found[position] = self.arena.view(len(found), argument).copy()
        return found
