"""Blocks that wait for each other take turns.

Blocks of a worker run one after another, each from start to end. One that waits for what another
block has to write (a flag, the count of a barrier of the grid) goes round in a loop: its registers
are again what they were some rounds before. Then it is set aside, the next block starts beside it,
and when no more can start those set aside get a turn each, until one of them goes on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simulator.emulator import layout
from simulator.emulator.hang import deadlock_error, runaway_error, stray_lanes_error, waiting_error
from simulator.emulator.place import Place
from simulator.emulator.runtime import scheduler
from simulator.emulator.runtime.scheduler import S_END, S_PATIENCE, S_POSITION, S_SLICE, SLICE

if TYPE_CHECKING:
    from simulator.emulator.worker import Worker

# Basic blocks that one block may run on after a bad access: what it read may steer it for ever.
RUNAWAY = 4_000_000
# Rounds between two looks at a block, and how many looks until they are far between.
SOON, LATE, LOOKS = 1, 64, 64
SHORT_SLICE = 64  # basic blocks of a block that waits, until it goes on
IDLE_TURNS = 2  # of all blocks, after which none of them will go on
# Where there are several workers: how long none of their blocks has gone on, and time for them.
QUIET_S, PAUSE_S = 2.0, 0.001


@dataclass
class Crew:
    """What the workers of a launch know of each other: which of them only have blocks that wait,
    or none any more, when a block of any worker last went on, and whether any ever waited."""

    waiting: list[bool]
    went_on: float = 0.0
    waited: bool = False

    def quiet(self) -> bool:
        """Whether no block of any worker will go on."""
        alone = len(self.waiting) == 1
        return all(self.waiting) and (alone or time.monotonic() - self.went_on > QUIET_S)


class Resident:
    """A place, and the blocks that run there one after another."""

    def __init__(self, worker: Worker, place: Place, blocks: NDArray[np.int64]) -> None:
        self.place, self._worker, self._blocks = place, worker, blocks
        self._state = np.zeros(scheduler.STATE_WORDS, np.int64)
        self._go = worker.start(place, blocks, self._state)
        self._looked_at, self._looks = -1, 0
        self._faulted_at, self._before = -1, 0
        self._seen: set[int] = set()  # states at the last looks, as hashes
        self._moved = False
        self.idle_turns = 0

    @property
    def position(self) -> int:
        """Where the block that runs stands in the list of blocks."""
        return int(self._state[S_POSITION])

    @property
    def block(self) -> int:
        """The block that runs."""
        return int(self._blocks[self.position])

    def begin(self, position: int, end: int) -> None:
        """Run the blocks from one position to another."""
        self._state[:] = 0
        self._state[S_POSITION], self._state[S_END] = position, end
        self._state[S_SLICE] = SLICE
        self._looked_at = self._faulted_at = -1

    def stay(self) -> None:
        """Run no block after this one."""
        self._state[S_END] = self.position + 1

    def advance(self) -> bool:
        """Go on until all blocks are done, which it says, or one waits for another block."""
        self._state[S_PATIENCE] = SOON
        while True:
            why = self._go()
            self._check_faults()
            if why == scheduler.DEADLOCK:
                raise deadlock(self._worker, self.block, self.place)
            if why != scheduler.TICK:
                self._worker.drain(self.place.context)
            if why == scheduler.FINISHED:
                return True
            if why == scheduler.LONG and self._goes_round():
                return False

    def turn(self) -> bool:
        """``advance`` once more a block that waited; ``idle_turns`` counts those in vain."""
        self._moved, self._state[S_SLICE] = False, SHORT_SLICE
        done = self.advance()
        self.idle_turns = 0 if self._moved else self.idle_turns + 1
        return done

    def _goes_round(self) -> bool:
        """Whether the block's registers are what they were at an earlier look.

        Those of a loop without an end are so at every look, in whichever turn.
        """
        seen = hash(self.place.state.tobytes())
        if self._looked_at == self.position and seen in self._seen:
            return True
        if self._looked_at != self.position or not self._moved:
            self._looked_at, self._looks = self.position, 0
        if self._looks % LOOKS == 0:
            self._seen.clear()
        self._moved, self._state[S_SLICE] = True, SLICE
        self._seen.add(seen)
        self._looks += 1
        self._state[S_PATIENCE] = SOON if self._looks < LOOKS else LATE
        return False

    def _check_faults(self) -> None:
        """Stop a block that goes on for long after a bad access."""
        if not self.place.context[layout.X_FAULT_COUNT]:
            return
        done = int(self._worker.executed.sum())
        if self._faulted_at != self.position:
            self._faulted_at, self._before = self.position, done
        elif done - self._before > RUNAWAY:
            raise runaway_error(self._worker.program.kernel, self.block, self._worker.faults)


def deadlock(worker: Worker, block: int, place: Place) -> Exception:
    """The error of a block none of whose warps can go on."""
    kernel, size = worker.program.kernel, worker.size
    states = place.state.reshape(size.warps, size.stride)
    return stray_lanes_error(kernel, block, states) or deadlock_error(kernel, block, states)


class Turns:
    """A worker's blocks, those that run and those set aside."""

    def __init__(self, worker: Worker, blocks: NDArray[np.int64]) -> None:
        self._worker, self._blocks = worker, blocks
        self._next = 0
        self._aside: list[Resident] = []

    def run(self) -> None:
        """Run all blocks; see ``Worker.run``."""
        free = [Resident(self._worker, self._worker.place(), self._blocks)]
        while self._next < len(self._blocks) or self._aside:
            if self._next < len(self._blocks) and len(self._aside) < self._worker.resident:
                room = free.pop() if free else self._new()
                self._start(room, free)
            else:
                self._go_round(free)

    def _new(self) -> Resident:
        return Resident(self._worker, self._worker.place(), self._blocks)

    def _start(self, resident: Resident, free: list[Resident]) -> None:
        """Run blocks that have not started, until one waits."""
        self._go_on()
        resident.begin(self._next, len(self._blocks))
        if resident.advance():
            self._next = len(self._blocks)
            free.append(resident)
        else:
            self._next = resident.position + 1
            resident.stay()
            self._worker.crew.waited = True
            self._aside.append(resident)

    def _go_round(self, free: list[Resident]) -> None:
        """A turn for all that were set aside."""
        going, self._aside = self._aside, []
        for resident in going:
            (free if resident.turn() else self._aside).append(resident)
        if len(self._aside) < len(going) or any(r.idle_turns == 0 for r in self._aside):
            self._go_on()
        elif all(r.idle_turns >= IDLE_TURNS for r in self._aside):
            self._wait()

    def _go_on(self) -> None:
        """Tell the others that a block went on."""
        crew = self._worker.crew
        crew.waiting[self._worker.number], crew.went_on = False, time.monotonic()

    def _wait(self) -> None:
        """Wait for blocks of other workers, if any of them can still go on."""
        worker, first = self._worker, self._aside[0]
        worker.crew.waiting[worker.number] = True
        if worker.crew.quiet():
            if worker.faults[:, 0].any():  # what a bad access read may steer the loop
                raise runaway_error(worker.program.kernel, first.block, worker.faults)
            raise waiting_error(
                worker.program, worker.size, first.block, first.place.state,
                len(self._aside), len(self._blocks) - self._next,
            )  # fmt: skip
        time.sleep(PAUSE_S)


def run_alone(worker: Worker, blocks: NDArray[np.int64]) -> Iterator[int]:
    """Run blocks one after another at one place; gives the position of each when it is done.

    Raises ReplayError where one waits for another block.
    """
    resident = Resident(worker, worker.place(), blocks)
    for position in range(len(blocks)):
        resident.begin(position, position + 1)
        done, resident.idle_turns = resident.advance(), 0
        while not done and resident.idle_turns < IDLE_TURNS:
            done = resident.turn()
        if not done:
            state = resident.place.state
            raise waiting_error(worker.program, worker.size, resident.block, state, 1, 0)
        yield position
