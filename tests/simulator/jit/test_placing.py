"""Arrays of a tuple in one block of memory."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from simulator.jit.placing import placed


class Tables(NamedTuple):
    small: Any
    number: int
    table: Any
    empty: Any


@pytest.fixture
def tables() -> Tables:
    table = np.arange(24, dtype=np.int64).reshape(3, 8)
    return Tables(np.arange(5, dtype=np.uint8), 7, table, np.zeros((0, 2), np.int32))


def test_tuple_keeps_its_values_and_types(tables: Tables) -> None:
    moved = placed(tables)
    assert type(moved) is Tables
    assert moved.number == 7
    for old, new in ((tables.small, moved.small), (tables.table, moved.table)):
        assert new.dtype == old.dtype
        assert new.flags.c_contiguous
        assert np.array_equal(new, old)
    assert moved.empty.shape == (0, 2)


def test_arrays_start_with_a_line_of_the_processor(tables: Tables) -> None:
    moved = placed(tables)
    assert moved.small.ctypes.data % 64 == moved.table.ctypes.data % 64 == 0


def test_arrays_share_no_memory(tables: Tables) -> None:
    moved = placed(tables)
    moved.small[:] = 255
    assert np.array_equal(moved.table, tables.table)
    assert not np.shares_memory(moved.table, tables.table)
