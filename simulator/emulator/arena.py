"""Device memory of a replay: one host allocation that all buffers live in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.errors import ArgumentError
from simulator.events import GLOBAL_BASE

# Buffers start on 2 MiB, as cudaMalloc places large ones; the gap between them is never touched,
# so the host does not back it with memory, and an access there is seen to be outside.
ALIGNMENT = 2 << 20
LIMIT = 1 << 32
CHUNK = 1 << 20


@dataclass(frozen=True)
class Arena:
    """Buffers by position: ``spans`` is int64[count, 2], first byte and end as arena offsets."""

    memory: NDArray[np.uint8]
    spans: NDArray[np.int64]

    def device_address(self, index: int) -> int:
        """The address a kernel sees."""
        return GLOBAL_BASE + int(self.spans[index, 0])

    def view(self, index: int, like: NDArray[Any]) -> NDArray[Any]:
        """A buffer's bytes as an array of another's type and shape."""
        first, end = self.spans[index]
        return self.memory[first:end].view(like.dtype)[: like.size].reshape(like.shape)


def build_arena(
    buffers: Sequence[NDArray[Any]], variables: Sequence[tuple[int, NDArray[Any]]] = ()
) -> Arena:
    """Copy buffers into an arena, and behind them the variables of a module.

    Each of these comes with its offset in the module's data, which are in one piece, as on a GPU:
    headers bring a thousand of them along.

    Raises ArgumentError when they do not fit into the 4 GiB that events can address.
    """
    spans = []
    place = ALIGNMENT
    for buffer in buffers:
        spans.append((place, place + buffer.nbytes))
        place += -(-(buffer.nbytes + 1) // ALIGNMENT) * ALIGNMENT
    spans += [(place + offset, place + offset + data.nbytes) for offset, data in variables]
    if variables:
        end = max(offset + data.nbytes for offset, data in variables)
        place += -(-end // ALIGNMENT) * ALIGNMENT
    if place > LIMIT:
        raise ArgumentError(
            f"the buffers need {place >> 20} MiB of device memory; a replay has 4096 MiB, "
            "so choose a smaller problem"
        )
    memory = np.zeros(place, dtype=np.uint8)
    everything = [*buffers, *(data for _, data in variables)]
    for (first, end), buffer in zip(spans, everything, strict=True):
        _copy(memory[first:end], np.ascontiguousarray(buffer).reshape(-1).view(np.uint8))
    table = np.array(spans, dtype=np.int64).reshape(-1, 2)
    return Arena(memory, table)


def _copy(target: NDArray[np.uint8], source: NDArray[np.uint8]) -> None:
    """Copy into zeros; what is zero stays untouched, so the host need not back it with memory."""
    for first in range(0, len(source), CHUNK):
        part = source[first : first + CHUNK]
        if part[0] or part.max():
            target[first : first + CHUNK] = part
