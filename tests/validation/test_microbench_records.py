"""The cache model's numbers and what its probes counted on an NVIDIA H200."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.composition import replay
from simulator.device import load_device
from simulator.frontends.cuda import compile_cuda
from simulator.memory.caches.machine import machine_of
from validation import microbench
from validation.microbench import bursts_list, local_list, meet
from validation.microbench.tiles import LAUNCHES, SOURCE, arguments

FOLDER = Path(microbench.__file__).parent
MACHINE = machine_of(load_device("h200"), 0)


def _launches(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / name).read_text())["launches"]
    return found


COALESCER = _launches("h200_coalescer.json")


@pytest.mark.parametrize("late", [0, 100, 250, 400, 450])
def test_reads_from_dram_are_joined_while_they_are_on_their_way(late: int) -> None:
    """How many of 256 lines were read twice by two SMs, one late."""
    for other in (1, 9):
        reads = COALESCER[f"delay-0,{other}-{late}-cold"]["reads"] / 1024 - 1
        period, busy, _ = MACHINE.refresh
        more = np.where(np.arange(100) < 100 * busy / period, 1, 0)
        waits = np.cumsum(more) * more * period / 100  # evenly from none to all of a part's turn
        closed = float(np.mean(MACHINE.miss_windows().reshape(-1, 1) + waits < late))
        assert reads == pytest.approx(closed, abs=0.07)


@pytest.mark.parametrize("late", [0, 10, 20, 40, 50, 60, 80, 100, 200, 400])
def test_reads_from_l2_are_joined_while_they_are_on_their_way(late: int) -> None:
    """The same with lines in L2; the SMs fire within some 15 cycles of what was planned."""
    way = MACHINE.l2_latency - MACHINE.merge_lead
    spread = np.linspace(way - MACHINE.l2_spread, way + MACHINE.l2_spread, 101)
    launch = COALESCER[f"old-0,9-{late}-MRS"]
    reads = launch["reads"] / launch["phases"] / 4 - 1
    assert reads == pytest.approx(float(np.mean(spread < late)), abs=0.15)


@pytest.mark.parametrize("before", ["MT", "MR", "MTS", "TMA", "MTRTM"])
def test_it_does_not_matter_who_read_the_lines_before(before: str) -> None:
    """All SMs, the same launch, with a wait or another kernel in between."""
    near, far = (COALESCER[f"before-{late}-{before}"] for late in (30, 200))
    assert near["reads"] / near["phases"] < 4.6
    assert far["reads"] / far["phases"] == pytest.approx(8, abs=0.1)


@pytest.mark.parametrize("count", range(1, 17))
def test_requests_that_one_read_serves(count: int) -> None:
    reads = COALESCER[f"crowd-{count}-0-cold"]["reads"] / 1024
    assert reads == pytest.approx(math.ceil(count / MACHINE.merge_most), rel=0.06)


def test_only_equal_requests_are_merged() -> None:
    for a, b in ((15, 1), (3, 1), (3, 6), (1, 2), (3, 12)):
        sectors = bin(a).count("1") + bin(b).count("1")
        reads = COALESCER[f"mask-{a},{b}-60-cold"]["reads"]
        assert reads == pytest.approx(256 * sectors, abs=2)
    assert COALESCER["mask-15,15-60-cold"]["reads"] == 256 * 4


@pytest.mark.parametrize(
    ("name", "cold", "warm"),
    [
        ("tile32-c8-n96", 7, 32),
        ("tile16-c16-n96", 5, 13),
        ("dot16x16-n96", 15, 5),
        ("dot32x8-n96", 15, 10),
        ("dot64x4-n96", 3, 3),
        ("tile32-c32-n768", 10, 15),
        ("patch96-n768", 5, 12),
        ("edge16-m100-n150-k75", 5, 6),
        ("edge32-m100-n150-k75", 5, 7),
        ("edge32-m64-n200-k130", 5, 7),
        ("edgepatch-m600-n500-k333", 5, 10),
        ("edgepatch-m64-n250-k130", 5, 10),
    ],
)
def test_reads_of_loops_that_share(name: str, cold: float, warm: float) -> None:
    """Errors in percent; none of these loops is in the catalogue. Those of a few blocks differ by
    up to a quarter from run to run where L2 is warm."""
    (tile,) = (launch for launch in LAUNCHES if launch.name == name)
    kernel = compile_cuda(SOURCE, tile.entry, "h200", tile.defines)
    grid, block = (*tile.grid, 1), (*tile.block, 1)
    run = replay(kernel, grid, block, list(arguments(tile)), 0, "h200", caches=True)
    measured = _launches("h200_tiles.json")[name]
    repeated = _launches("h200_read_scatter.json")[name]
    found = {"cold": "l2_read_sectors", "warm": "l2_read_sectors_warm"}
    for (heat, counter), limit in zip(found.items(), (cold, warm), strict=True):
        reads = run.counters[counter].value
        usual = statistics.median([measured[heat]["reads"], *repeated.get(heat, ())])
        assert reads == pytest.approx(usual, rel=limit / 100), heat


MEETINGS = {meeting.name: meeting for meeting in meet.meetings()}


@pytest.mark.parametrize("name", ["w4-l2-batch-16", "w8-l4-chain-16", "w16-l1-batch-32"])
def test_reads_of_all_sms_that_share_their_lines(name: str) -> None:
    """Lines that come from DRAM: four SMs of a group are one read, however their warps load."""
    meeting = MEETINGS[name]
    kernel = compile_cuda(meet.SOURCE, meet.ENTRY, "h200", meeting.defines)
    block, given = (meeting.warps * 32, 1, 1), list(meet.arguments(meeting))
    room = meeting.room_bytes
    run = replay(kernel, (meet.BLOCKS, 1, 1), block, given, room, "h200", caches=True)
    reads = run.counters["l2_read_sectors"].value
    usual = statistics.median(_launches("h200_meet.json")[name]["cold"])
    assert reads == pytest.approx(usual, rel=0.04)


def test_work_of_many_warps_varies_by_chance_that_of_few_does_not() -> None:
    """Deviations by the root of the work's cycles, as noted in loops."""
    found: dict[int, list[float]] = {}
    for name, noted in _launches("h200_meet.json").items():
        if "work" in noted:
            share = noted["work_deviation"] / math.sqrt(noted["work"])
            found.setdefault(MEETINGS[name].warps, []).append(share)
    medians = {warps: statistics.median(shares) for warps, shares in found.items()}
    assert medians[4] < 0.05
    assert medians[8] < 0.15
    assert 0.25 < medians[16] < 0.5
    assert 0.25 < medians[32] < 0.5


def test_the_record_of_meetings_holds_its_launches() -> None:
    assert list(_launches("h200_meet.json")) == list(MEETINGS)


@pytest.mark.parametrize(
    ("name", "launches"),
    [("h200_bursts.json", bursts_list.launches), ("h200_local.json", local_list.launches)],
)
def test_records_hold_the_launches_of_their_lists(
    name: str, launches: Callable[[], Iterable[str]]
) -> None:
    assert list(_launches(name)) == [text.split()[0] for text in launches()]


def test_rows_of_local_memory_do_not_fill_the_sets_of_l1_evenly() -> None:
    """Lost of what is loaded again and again: 8 and 16 warps with 64 words a thread, 64 with 16."""
    local = _launches("h200_local.json")
    lost = {
        label: 1 - local[label]["load_hits"] / local[label]["loads"]
        for label in ("way0-w64-b1x8-s0", "way0-w64-b2x8-s0", "way0-w16-b8x8-s0")
    }
    assert list(lost.values()) == pytest.approx([0.01, 0.07, 0.01], abs=0.005)


def test_requests_that_one_read_serves_take_the_way_to_a_group_once() -> None:
    """16 SMs get 128 lines each that all ask for as one SM does, lines of their own 300 cycles
    later: some 560 bytes a cycle."""
    bursts = _launches("h200_bursts.json")
    alone, same, own = (
        bursts[f"{lines}-warm-1x{sms}-32x4-0"]["cycles"][-1]
        for lines, sms in (("own", "1"), ("same", "ffff"), ("own", "ffff"))
    )
    assert same < alone + 60
    quarter, most = (bursts["own-warm-1xffff-32x4-0"]["cycles"][n] for n in (1, 3))
    assert own > alone + 200
    assert 16 * 128 * 128 / 2 / (most - quarter) == pytest.approx(560, rel=0.1)


ROWS = Path(microbench.__file__).parent / "rows.cu"


@pytest.mark.parametrize(
    ("passes", "columns", "waves", "limit"),
    [
        ("RR", 1024, 8, 3), ("RR", 2048, 8, 3), ("RR", 3072, 8, 5), ("RRW", 2048, 8, 3),
        ("RRWr", 2048, 8, 5), ("RRWrW", 1024, 1, 1), ("RR", 3072, 1, 2), ("RRR", 2048, 8, 15),
        ("RRWrW", 2048, 8, 18),
    ],
)  # fmt: skip
def test_rows_that_are_used_again_while_others_come(
    passes: str, columns: int, waves: int, limit: float
) -> None:
    """Loads that miss L1, errors in percent. Lines of rows that are done with stay where they are
    used twice: an L1 that keeps what was used last would lose none of these but a few."""
    kernel = compile_cuda(ROWS, "rows", "h200", ())
    code = sum(ord(letter) << 8 * n for n, letter in enumerate(passes))
    blocks = 132 * 8 * waves
    data = np.zeros(blocks * columns, np.float32)
    arguments = [np.uint64(code), data, np.zeros_like(data), np.int32(columns)]
    run = replay(kernel, (blocks, 1, 1), (256, 1, 1), arguments, 0, "h200", caches=True)
    measured = _launches("h200_l1.json")[f"{passes}-{columns}-{waves}"]
    loads, hits = (run.counters[f"l1_load_{name}"].value for name in ("sectors", "hit_sectors"))
    assert loads == measured["loads"]
    missed = measured["loads"] - measured["load_hits"]
    assert loads - hits == pytest.approx(missed, rel=limit / 100)
