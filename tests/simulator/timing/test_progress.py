"""How far a warp has come with each request, and which lines blocks touch first."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.events import Events
from simulator.frontends.cuda import compile_cuda
from simulator.launching import open_catalogue
from simulator.memory.lower import SHARED
from simulator.time import open_launch
from simulator.timing.requests import R_COST, R_INSTRUCTION
from simulator.timing.touches import own_touches, touched_lines
from simulator.timing.trace import trace_blocks

SIZES = {"tiled_gemm": 96, "hgemm_tensor": 128, "local_sort": 512}
OUTSIDE = "outside"  # reads past the end of its buffer
SOURCE = """
extern "C" __global__ void outside(const float* in, float* out) {
    __shared__ float tile[64];
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x * 3];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
"""
BLOCKS = np.array([1, 0], np.int64)


def _launch(name: str) -> Launch:
    if name == OUTSIDE:
        program = build_program(compile_cuda(SOURCE, OUTSIDE, "h200"))
        data = np.arange(128, dtype=np.float32)
        return Launch(program, (2, 1, 1), (64, 1, 1), 0, [data, np.zeros_like(data)])
    return open_launch(open_catalogue(name, SIZES[name], 0, "h200"))


class _Noted:
    """Keeps block, warp, instruction and space of every event."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def consume(self, events: Events) -> None:
        rows: Any = zip(
            events["block"], events["warp"], events["instruction"], events["space"], strict=True
        )
        self.events += [tuple(map(int, row)) for row in rows]


@pytest.mark.parametrize("name", ["tiled_gemm", "hgemm_tensor"])
def test_rounds_and_places_count_a_warps_requests(name: str) -> None:
    noted = _Noted()
    _launch(name).run(BLOCKS, lambda: [noted])
    trace = trace_blocks(_launch(name), BLOCKS)
    rounds: Counter[tuple[int, ...]] = Counter()
    places: Counter[tuple[int, ...]] = Counter()
    for request, (block, warp, instruction, space) in enumerate(noted.events):
        assert trace.costs[trace.requests[request, R_COST], R_INSTRUCTION] == instruction
        assert trace.rounds[request] == rounds[block, warp, instruction]
        assert trace.places[request] == places[block, warp]
        rounds[block, warp, instruction] += 1
        places[block, warp] += space != SHARED
    assert max(rounds.values()) > 1
    homes = trace.home(np.arange(len(noted.events), dtype=np.int32))
    assert BLOCKS[homes].tolist() == [block for block, *_ in noted.events]


@pytest.mark.parametrize("name", [*SIZES, OUTSIDE])
def test_a_block_replayed_alone_touches_what_it_does_in_a_trace(name: str) -> None:
    """Global and local memory alike, and the warps of a block that take turns at barriers."""
    launch = _launch(name)
    blocks = BLOCKS[: launch.grid[0] * launch.grid[1]] if launch.grid != (1, 1, 1) else BLOCKS[1:]
    trace = trace_blocks(launch, blocks)
    touched = touched_lines(_launch(name), blocks.tolist())
    for place, block in enumerate(blocks.tolist()):
        own = own_touches(trace, place)
        assert len(own.pairs)
        assert own.pairs.tolist() == touched[block].pairs.tolist()
        assert own.rounds.tolist() == touched[block].rounds.tolist()
        assert own.places.tolist() == touched[block].places.tolist()
