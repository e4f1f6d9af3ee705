"""Blocks run and counted: together, or each by itself."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.launch import Fault, Launch
from simulator.events import EventSink
from simulator.memory.counters import MemoryCounter
from simulator.memory.first_addresses import FirstAddresses
from simulator.results import SharedExample

if TYPE_CHECKING:
    from simulator.recording import Recording

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Tally:
    """What some blocks did: int64[instruction, records.FIELDS], worst requests, faults, and whether
    any waited for another.

    Where the banks are counted too, their units stand in 32 more columns.
    """

    counts: Counts
    examples: tuple[SharedExample, ...]
    faults: tuple[Fault, ...]
    first_addresses: Mapping[int, int] = field(default_factory=dict, repr=False)
    waited: bool = False


@dataclass(frozen=True)
class Counting:
    """A launch whose blocks are counted, its banks too if asked for; ``recording`` also gets what
    it wants of the blocks' addresses."""

    launch: Launch
    banks: bool = False
    recording: Recording | None = None

    def together(self, blocks: NDArray[np.int64]) -> Tally:
        """Run blocks in this order, shared out over the workers."""
        wanted = self.recording is not None and self.recording.wants(blocks)
        return _Sinks(self, wanted).tally(blocks, worker_count())

    def apart(self, blocks: NDArray[np.int64]) -> dict[int, Tally]:
        """Each block by itself, several at a time."""
        idle: list[MemoryCounter] = []  # a counter need not learn shapes anew for every block
        with ThreadPoolExecutor(worker_count()) as pool:
            found = pool.map(lambda block: self._one(block, idle), blocks.tolist())
            return dict(zip(blocks.tolist(), found, strict=True))

    def _one(self, block: int, idle: list[MemoryCounter]) -> Tally:
        kernel = self.launch.program.kernel
        wanted = self.recording is not None and self.recording.wants_one(block)
        first = FirstAddresses(kernel)
        try:
            counter = idle.pop()
        except IndexError:
            counter = MemoryCounter(kernel)
        tally = _Sinks(self, wanted, (first,), counter).tally(np.array([block]), 1)
        idle.append(counter)
        return replace(tally, first_addresses=first.addresses)


class _Sinks:
    """What reads the events of some blocks: one of each kind a worker, ``others`` one for all.

    ``counter`` may be one that has counted before, for the first worker.
    """

    def __init__(
        self,
        counting: Counting,
        records: bool,
        others: Sequence[EventSink] = (),
        counter: MemoryCounter | None = None,
    ) -> None:
        self._counting, self._others, self._counter = counting, others, counter
        self._counters: list[MemoryCounter] = []
        self._pressures: list[Any] = []
        self._recording = counting.recording if records else None
        self._recorders: list[Any] = []

    def _make(self) -> list[EventSink]:
        launch = self._counting.launch
        counter, self._counter = self._counter, None
        self._counters.append(counter or MemoryCounter(launch.program.kernel))
        sinks: list[EventSink] = [self._counters[-1], *self._others]
        if self._counting.banks:
            from simulator.memory.bank_pressure import BankPressure  # compiled code few ask for

            self._pressures.append(BankPressure(launch.program.kernel))
            sinks.append(self._pressures[-1])
        if self._recording is not None:
            self._recorders.append(self._recording.recorder(launch))
            sinks.append(self._recorders[-1])
        return sinks

    def tally(self, blocks: NDArray[np.int64], workers: int) -> Tally:
        execution = self._counting.launch.run(blocks, self._make, workers)
        if self._recording is not None:
            self._recording.keep(blocks, self._recorders)
        memory = self._counters[0]
        for other in self._counters[1:]:
            memory.merge(other)
        totals, examples = memory.take()
        executed = [
            execution.executed, execution.thread_executed, execution.predicated_on,
            execution.both_on,
        ]  # fmt: skip
        units = [sum(p.totals() for p in self._pressures)] if self._pressures else []
        return Tally(
            np.column_stack([*executed, totals, *units]), examples, execution.faults,
            waited=execution.waited,
        )  # fmt: skip


def worker_count() -> int:
    """Threads to run blocks on: one a core."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def merged(tallies: Sequence[Tally]) -> Tally:
    """The tallies of several sets of blocks as one."""
    counts = np.asarray(sum(t.counts for t in tallies))
    worst: dict[int, SharedExample] = {}
    faults: dict[int, Fault] = {}
    for tally in tallies:
        for example in tally.examples:
            known = worst.get(example.instruction)
            if known is None or example.wavefronts > known.wavefronts:
                worst[example.instruction] = example
        for fault in tally.faults:
            old = faults.get(fault.instruction)
            count = fault.count + (old.count if old else 0)
            earlier = old if old and old.block <= fault.block else fault
            faults[fault.instruction] = replace(earlier, count=count)
    examples = tuple(worst[n] for n in sorted(worst))
    waited = any(t.waited for t in tallies)
    return Tally(counts, examples, tuple(faults[n] for n in sorted(faults)), waited=waited)
