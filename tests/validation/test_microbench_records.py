"""The cache model's numbers and what its probes counted on an NVIDIA H200."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.composition import replay
from simulator.device import load_device
from simulator.frontends.cuda import compile_cuda
from simulator.memory.caches.machine import machine_of
from validation import microbench
from validation.microbench.tiles import LAUNCHES, SOURCE, arguments

FOLDER = Path(microbench.__file__).parent
MACHINE = machine_of(load_device("h200"), 0)


def _launches(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / name).read_text())["launches"]
    return found


COALESCER = _launches("h200_coalescer.json")


@pytest.mark.parametrize("heat", ["warm", "cold"])
@pytest.mark.parametrize("late", [0, 100, 250, 400, 450, 700, 900])
def test_window_of_first_reads(late: int, heat: str) -> None:
    """How many of 256 lines were read twice by two SMs, one late."""
    for other in (1, 9):
        reads = COALESCER[f"delay-0,{other}-{late}-{heat}"]["reads"] / 1024 - 1
        closed = float(np.mean(MACHINE.first_windows() < late))
        assert reads == pytest.approx(closed, abs=0.07)


@pytest.mark.parametrize("count", range(1, 17))
def test_requests_that_one_read_serves(count: int) -> None:
    reads = COALESCER[f"crowd-{count}-0-warm"]["reads"] / 1024
    assert reads == pytest.approx(math.ceil(count / MACHINE.merge_most), rel=0.06)


@pytest.mark.parametrize("late", [700, 1000, 2000, 5000, 20000, 50000])
def test_old_lines_are_shared_at_the_same_time_only(late: int) -> None:
    """Three SMs: one first, two later, at once and 100 cycles apart."""
    at_once, apart = (COALESCER[f"later-{late}-{gap}-warm"] for gap in (0, 100))
    assert at_once["reads"] / at_once["phases"] == pytest.approx(8, abs=0.5)
    assert apart["reads"] / apart["phases"] == pytest.approx(12, abs=0.7)
    assert MACHINE.merge_window < 100


def test_only_equal_requests_are_merged() -> None:
    for a, b in ((15, 1), (3, 1), (3, 6), (1, 2), (3, 12)):
        sectors = bin(a).count("1") + bin(b).count("1")
        assert COALESCER[f"mask-{a},{b}-60-warm"]["reads"] == 256 * sectors
    assert COALESCER["mask-15,15-60-warm"]["reads"] == 256 * 4


@pytest.mark.parametrize(
    ("name", "cold", "warm"),
    [
        ("tile32-c8-n96", 5, 30),
        ("tile16-c16-n96", 8, 15),
        ("dot16x16-n96", 10, 10),
        ("dot32x8-n96", 10, 10),
        ("dot64x4-n96", 5, 5),
        ("tile32-c32-n768", 20, 10),
        ("patch96-n768", 8, 12),
    ],
)
def test_reads_of_loops_that_share(name: str, cold: float, warm: float) -> None:
    """Errors in percent; none of these loops is in the catalogue."""
    (tile,) = (launch for launch in LAUNCHES if launch.name == name)
    kernel = compile_cuda(SOURCE, tile.entry, "h200", tile.defines)
    grid, block = (*tile.grid, 1), (*tile.block, 1)
    run = replay(kernel, grid, block, list(arguments(tile)), 0, "h200", caches=True)
    measured = _launches("h200_tiles.json")[name]
    found = {"cold": "l2_read_sectors", "warm": "l2_read_sectors_warm"}
    for (heat, counter), limit in zip(found.items(), (cold, warm), strict=True):
        reads = run.counters[counter].value
        assert reads == pytest.approx(measured[heat]["reads"], rel=limit / 100), heat
