"""Counts all blocks of a launch, or a sample of them and lets it stand for the launch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simulator.detours import Steering
from simulator.errors import ArgumentError
from simulator.places import find_telling
from simulator.records import EXACT_COLUMNS
from simulator.results import Sampling
from simulator.sampling import (
    MEDIUM_LAUNCH,
    SMALL_LAUNCH,
    Classes,
    Shape,
    Verdict,
    extrapolate,
    find_period,
    judge,
    neighbours,
    sample_blocks,
    spread_blocks,
)  # fmt: skip
from simulator.slicing import dispensable
from simulator.tallies import Counting, Tally, merged
from simulator.unfolding import unfold
from simulator.ways import MOST_WORK, find_ways

MOST_BLOCKS = 10**12  # of a launch: sums of more leave 64 bits
MOST_REPLAYED = 10**8  # blocks one by one
Steered = Callable[[], Steering]
# What may be wrong with a sample that has taken no detour (see ``detours``).
_UNSEEN = "blocks beyond the sample may have operands that divisions or roots take longer for"
# So many blocks are looked at for one: should a twentieth of all take it, they hold one for sure.
_AGAINST_CHANCE = 128
_MOST_APART = 1000  # blocks that are quicker run each by itself than all together
_FEW_ALIKE = "too few blocks lie alike in 128-byte lines"


def count_blocks(counting: Counting, blocks: str | int, steered: Steered) -> tuple[Tally, Sampling]:
    """Count the blocks that a user wants (as in ``composition.replay``); ``steered`` says what
    loaded data steers.

    Raises:
        ArgumentError: no such blocks, or more than can be counted.
    """
    total = math.prod(counting.launch.grid)
    if total > MOST_BLOCKS:
        raise ArgumentError(f"a grid of {total:,} blocks; counts hold for {MOST_BLOCKS:,} at most")
    if blocks == "auto":
        return _replay_auto(counting, total, steered)
    if blocks == "all":
        return _replay_all(counting, total, "every block was asked for")
    if not isinstance(blocks, int) or blocks < 1:
        raise ArgumentError(f"blocks {blocks!r} must be 'auto', 'all' or a positive number")
    if blocks >= total:
        return _replay_all(counting, total, "as many blocks were asked for")
    chosen = spread_blocks(total, blocks)
    tally = counting.together(chosen)
    scaled = np.rint(tally.counts * (total / len(chosen))).astype(np.int64)
    reason = f"{len(chosen)} spread blocks, scaled to {total}: an estimate"
    return replace(tally, counts=scaled), Sampling(total, len(chosen), "sampled", reason)


def _replay_all(counting: Counting, total: int, reason: str) -> tuple[Tally, Sampling]:
    _require_few(total, reason)
    tally = counting.together(np.arange(total, dtype=np.int64))
    return tally, Sampling(total, total, "all blocks", reason)


def _require_few(total: int, reason: str) -> None:
    if total > MOST_REPLAYED:
        raise ArgumentError(
            f"{total:,} blocks would have to be replayed ({reason}), which takes hours; for an "
            "estimate give --blocks 1000, or else a smaller grid"
        )


def _replay_auto(counting: Counting, total: int, steered: Steered) -> tuple[Tally, Sampling]:
    grid = counting.launch.grid
    sample = sample_blocks(grid)
    if len(sample) * 2 >= total:
        return _replay_all(counting, total, "the launch is small")
    steering = steered()
    if steering.where is not None:
        return _replay_all(counting, total, f"loaded data steers {steering.where.text}")
    taken = _Sample(counting)
    taken.add(sample[:: len(sample) // 2 + 1])
    if taken.work() * total <= (MEDIUM_LAUNCH if steering.detours else SMALL_LAUNCH):
        return _replay_rest(counting, total, taken.whole, "the launch is small")
    taken.leave_out_arithmetic()
    view = _best_view(taken, grid, steering.detours)
    if not view.verdict.holds:
        return _replay_rest(counting, total, taken.whole, view.verdict.reason)
    if counting.recording is not None:
        counting.recording.unfold(view.classes.grid)
    tallies = taken.tallies
    tally = merged(list(tallies.values()))
    counts = extrapolate(view.classes, {b: t.counts for b, t in tallies.items()})
    chance = _UNSEEN if steering.detours else view.chance
    sampling = Sampling(total, len(tallies), "checked", view.verdict.reason, chance)
    return replace(tally, counts=counts), sampling


@dataclass(frozen=True)
class _View:
    """The classes that blocks were sorted into, whether those sampled stand for the launch, and
    what may be wrong with them nevertheless."""

    classes: Classes
    verdict: Verdict
    chance: str = ""


def _best_view(taken: _Sample, grid: Shape, detours: frozenset[int]) -> _View:
    """By place on the grid, on the kernel's own axes if need be, and by the way blocks take where
    those between the ends may take different ones."""
    total = math.prod(grid)
    view = _view(taken, Classes(grid), detours)
    if not view.verdict.holds and (axes := unfold(grid, taken.addresses)) != grid:
        view = _view(taken, Classes(axes), detours)
    telling = find_telling(taken.launch.program.kernel)
    if telling.access is not None and view.verdict.holds:
        taken.add(spread_blocks(total, min(_AGAINST_CHANCE, total // 4)))
        view = _view(taken, view.classes, detours)
    if not telling.comparisons:
        return view
    # A sample that does not hold is no loss: all blocks are replayed, which may be the quicker.
    most = MOST_WORK if view.verdict.holds else min(MOST_WORK, taken.work() * total / 4)
    ways = find_ways(taken.launch, telling.watched, neighbours(grid)[0], most)
    if ways is None:
        where = telling.comparisons[0].text
        return replace(view, chance=f"blocks beyond the sample may take another way at {where}")
    parted = _view(taken, replace(view.classes, ways=ways), detours)
    return parted if parted.verdict.holds or view.verdict.holds else view


def _view(taken: _Sample, coarse: Classes, detours: frozenset[int]) -> _View:
    """Sample a launch whose blocks have these classes, apart from their ``periods``."""
    grid, total = coarse.grid, math.prod(coarse.grid)
    taken.add(sample_blocks(grid))
    classes = replace(coarse, periods=_find_periods(grid, taken.tallies))
    wanted = classes.sample()
    if len(wanted) * 2 >= total or len(wanted) > _MOST_APART:
        return _View(classes, Verdict(False, _FEW_ALIKE))
    taken.add(wanted)
    if detours:
        taken.add(spread_blocks(total, _AGAINST_CHANCE))
    if (block := _took(taken.tallies, detours)) is not None:
        reason = f"block {block} has operands that lead to a subroutine for extreme ones"
        return _View(classes, Verdict(False, reason))
    exact = {b: t.counts[:, EXACT_COLUMNS] for b, t in taken.tallies.items()}
    return _View(classes, judge(classes, exact))


def _took(tallies: dict[int, Tally], detours: frozenset[int]) -> int | None:
    """A block that has executed one of these instructions."""
    rows = sorted(detours)
    return next((block for block, t in tallies.items() if t.counts[rows, 0].any()), None)


class _Sample:
    """Blocks of a sample as they are counted: the ``tallies`` of all, and of those whose results
    are in the launch's memory (``whole``)."""

    def __init__(self, counting: Counting) -> None:
        self._counting = self._runs = counting
        self.launch = counting.launch
        self.tallies: dict[int, Tally] = {}
        self.whole: dict[int, Tally] = {}

    def add(self, blocks: NDArray[np.int64]) -> None:
        """Count those of these blocks that have not been."""
        new = [block for block in blocks.tolist() if block not in self.tallies]
        found = self._runs.apart(np.array(new, dtype=np.int64))
        self.tallies |= found
        if self._runs is self._counting:
            self.whole |= found

    def addresses(self, block: int) -> Mapping[int, int]:
        """Where the first accesses of a block go, by instruction."""
        self.add(np.array([block], dtype=np.int64))
        return self.tallies[block].first_addresses

    def work(self) -> float:
        """Warp-instructions of a block, on average."""
        return sum(int(t.counts[:, 0].sum()) for t in self.tallies.values()) / len(self.tallies)

    def leave_out_arithmetic(self) -> None:
        """Run the blocks to come on memory of their own, without arithmetic that steers nothing."""
        left_out = dispensable(self.launch.program.kernel)
        if left_out:
            self._runs = replace(self._counting, launch=self.launch.fresh().without(left_out))


def _find_periods(grid: Shape, tallies: dict[int, Tally]) -> Shape:
    """The period of line offsets on each axis, from the sample's neighbours."""
    home, others = neighbours(grid)
    here = tallies[home].first_addresses
    return tuple(
        1 if block is None else find_period(here, tallies[block].first_addresses)
        for block in others
    )


def _replay_rest(
    counting: Counting, total: int, tallies: dict[int, Tally], reason: str
) -> tuple[Tally, Sampling]:
    _require_few(total, reason)
    rest = np.setdiff1d(np.arange(total, dtype=np.int64), list(tallies))
    tally = merged([*tallies.values(), counting.together(rest)])
    return tally, Sampling(total, total, "all blocks", reason)
