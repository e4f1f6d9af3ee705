"""Runs of lines, what lies beside them in other blocks, and halves of what DRAM writes."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.timing.pieces import LONG, halves_of, pieces_of, runs_of


def _of(*lines: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(lines, np.int64)


def test_lines_in_a_row_are_one_run() -> None:
    assert runs_of(_of(3, 4, 9), _of()).tolist() == [0.5, 0.5, 1.0]


def test_runs_go_on_in_the_blocks_beside() -> None:
    assert runs_of(_of(3, 9), _of(4, 20)).tolist() == [1 / LONG, 1.0]
    assert runs_of(_of(3), _of(3)).tolist() == [1.0]  # the same line is no further one


def test_stores_go_to_dram_together_and_loads_by_instruction() -> None:
    own = (_of(0, 0, 1, 1, 2, 2), _of(1, 5, 2, 6, 11, 15))
    none = (_of(), _of())
    assert pieces_of(own, none, np.array([False, False, False])).tolist() == [1, 1, 1]
    assert pieces_of(own, none, np.array([True, True, False])).tolist() == [0.5, 0.5, 1]
    beside = (_of(2, 2), _of(12, 14))
    assert pieces_of(own, beside, np.array([True, True, False]))[2] == pytest.approx(1 / LONG)


def test_sectors_that_are_stored_without_their_other_one() -> None:
    place, bits = _of(0, 1, 1, 2, 3), _of(0b0101, 0b0001, 0b0010, 0b0111, 0)
    assert halves_of(place, bits, 4).tolist() == pytest.approx([1, 0, 1 / 3, 0])
