"""How a block's work is shared out among the gaps between its loads."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.memory.caches.between import Code, work_shares
from simulator.memory.caches.streams import own_streams
from tests.simulator.memory.caches.launches import LANES, LOAD, LOCAL_LOAD, event, record

# Ten instructions; 2 to 8 are a loop of a hundred turns with an inner one, 5 and 6, of ten.
EXECUTED = (1, 1, 100, 100, 100, 1000, 1000, 100, 100, 1)
CODE = Code(np.concatenate([[0], np.cumsum(EXECUTED)]), ((5, 6), (2, 8)))


@pytest.mark.parametrize(
    ("last", "following", "instructions"),
    [(2, 3, 1.0), (2, 4, 1.0), (3, 4, 1.0), (4, 7, 20.0), (4, 3, 23.0), (7, 2, 1.0), (8, 4, 2.0)],
)
def test_instructions_between_two(last: int, following: int, instructions: float) -> None:
    assert CODE.between(last, following) == instructions


def test_work_goes_where_the_code_has_it() -> None:
    """Two loads in turn: twelve instructions behind the first, one behind the second."""
    turns = [event(kind, 4 * LANES + 4096 * n) for n in range(4) for kind in (LOAD, LOCAL_LOAD)]
    code = Code(np.concatenate([[0], np.cumsum([4, 40, 4, 4, 4, 4])]), ((0, 5),))
    needed_at_once = np.ones(6, np.int64)
    counts, shares = work_shares(own_streams(record(turns), 1), needed_at_once, code)
    assert counts.tolist() == [8]
    assert shares[[LOAD, LOCAL_LOAD]] == pytest.approx(np.array([12, 1]) / 6.5)
