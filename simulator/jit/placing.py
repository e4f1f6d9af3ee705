"""Arrays that compiled loops look up all over, where the processor finds them soonest."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

_LINE_BYTES = 64
_PAGE_BYTES = 1 << 21

Record = TypeVar("Record", bound=tuple[Any, ...])


def placed(record: Record) -> Record:
    """A named tuple with its arrays moved into one block of memory, each from the start of one of
    the processor's cache lines on, so that an entry of so many bytes is in one line.

    One large block gets large pages, which arrays of a few megabytes do not fill.
    """
    arrays = [value for value in record if isinstance(value, np.ndarray)]
    rooms = [-(-array.nbytes // _LINE_BYTES) * _LINE_BYTES for array in arrays]
    block = np.empty(sum(rooms) + _PAGE_BYTES, np.uint8)
    at = -block.ctypes.data % _PAGE_BYTES
    moved: list[Any] = []
    left = iter(rooms)
    for value in record:
        if isinstance(value, np.ndarray):
            place = block[at : at + value.nbytes].view(value.dtype).reshape(value.shape)
            place[...] = value
            at += next(left)
            value = place
        moved.append(value)
    return type(record)(*moved)
