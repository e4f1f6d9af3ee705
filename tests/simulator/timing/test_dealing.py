"""Which SM gets which block, where blocks do not all have the same work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.device import load_device
from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.frontends.cuda import compile_cuda
from simulator.timing import tails
from simulator.timing.dealing import deal_blocks, deal_by_time
from simulator.timing.parameters import load_parameters
from simulator.timing.placement import is_uneven, place_blocks, place_by_work
from simulator.timing.tails import deal_rest, in_doubt
from simulator.timing.workload import prepare

SOURCE = """
extern "C" __global__ void loop(float* out, const int* rounds) {
    float a = out[threadIdx.x];
    for (int i = 0; i < rounds[blockIdx.x]; i++) a = a * a + 1.0f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
"""
SMS = load_device("h200").sm_count
_ENDS = Path(__file__).parents[3] / "validation" / "microbench" / "h200_ends.json"


def _launch(rounds: np.ndarray) -> Launch:
    program = build_program(compile_cuda(SOURCE, "loop", "h200"))
    out = np.zeros(len(rounds) * 64, np.float32)
    return Launch(program, (len(rounds), 1, 1), (64, 1, 1), 0, [out, rounds.astype(np.int32)])


def test_equal_blocks_are_dealt_out_in_turn() -> None:
    blocks = deal_blocks(np.full(12, 100), 4, 2, 8)
    assert blocks.tolist() == [3, 7, 11]


def test_a_block_goes_where_one_has_ended() -> None:
    work = np.array([1000, 100, 100, 100])
    assert deal_blocks(work, 2, 1, 64).tolist() == [0]  # the other SM does the three short ones
    assert deal_blocks(np.array([1000, 100, 100, 1000]), 2, 1, 64).tolist() == [1, 2, 3]


def test_first_blocks_go_where_the_device_places_them() -> None:
    work = np.array([500, 100, 400, 100])
    assert deal_blocks(work, 2, 2, 64).tolist() == [0, 2]
    assert deal_blocks(work, 2, 2, 64, np.array([0, 1, 1, 0])).tolist() == [0, 3]


def test_blocks_of_an_sm_share_its_time_where_they_keep_it_busy() -> None:
    work = np.array([500, 600, 300, 100, 1000, 900])
    # Where blocks share the time, the SM with more to do in all ends last; where each has warps
    # enough of its own, the one whose last block began later.
    assert deal_blocks(work, 2, 2, 64).tolist() == [1, 3, 4]
    assert deal_blocks(work, 2, 2, 1).tolist() == [0, 2, 5]


def test_work_is_counted_by_block() -> None:
    launch = _launch(np.array([0, 1000, 3000]))
    work = launch.count_work(np.array([2, 0, 1]))
    first, second = work[0] - work[1], work[2] - work[1]
    assert first == pytest.approx(3 * second, rel=0.05)
    assert launch.run(np.arange(3)).executed.sum() == work.sum()


def test_a_fresh_launch_has_the_memory_from_before() -> None:
    launch = _launch(np.array([5, 5]))
    before = launch.arena.memory.copy()
    launch.run(np.arange(2))
    assert (launch.arena.memory != before).any()
    assert np.array_equal(launch.fresh().arena.memory, before)


def test_the_sm_with_the_long_block_decides() -> None:
    rounds = np.full(3 * SMS, 10)
    rounds[5] = 5000
    launch = _launch(rounds)
    placement = place_blocks(load_device("h200"), launch)
    assert 5 not in placement.blocks
    work = launch.count_work(placement.blocks)
    assert not is_uneven(launch.grid, placement.blocks, work)  # nothing on this SM tells
    rounds[placement.blocks[0]] = 20
    launch = _launch(rounds)
    assert is_uneven(launch.grid, placement.blocks, launch.count_work(placement.blocks))
    assert 5 in place_by_work(load_device("h200"), launch, placement).blocks


def test_where_no_sm_has_much_more_the_blocks_stay() -> None:
    device = load_device("rtx4090")  # whose blocks are taken to be dealt out in turn
    rounds = np.full(3 * device.sm_count, 100)
    rounds[::7] = 102
    launch = _launch(rounds)
    placement = place_blocks(device, launch)
    assert place_by_work(device, launch, placement) is placement


def _recorded_ends() -> list[dict[str, Any]]:
    rows = json.loads(_ENDS.read_text(encoding="utf-8"))["figures"]
    return [row for row in rows if row["again"] == 2 and row["resident"] == row["shared_for"]]


@pytest.mark.parametrize("row", _recorded_ends(), ids=lambda row: f"{row['grid']}-{row['ends_ns']}")
def test_left_over_blocks_are_dealt_as_on_an_h200(row: dict[str, Any]) -> None:
    """From when the first blocks of its SMs end: how many blocks the SM has that ends last."""
    deviation = load_parameters("h200")["timing_sm_pace_deviation"]
    ends = np.array(row["ends_ns"])
    dealt = deal_by_time(ends, int(0.4 * ends.mean()), row["grid"], SMS, deviation)
    assert len(dealt) == row["last_sm_blocks"]
    assert len(set(dealt.tolist())) == len(dealt)


def test_an_sm_whose_blocks_end_together_gets_as_many_at_once() -> None:
    """10 SMs of 4 blocks and 8 more blocks; in turn an SM would get one of them."""
    together, apart = np.array([100, 100, 100, 100]), np.array([70, 90, 110, 130])
    assert len(deal_by_time(together, 50, 48, 10, 0.01)) == 8
    assert len(deal_by_time(apart, 50, 48, 10, 0.01)) == 5


def test_left_over_blocks_are_dealt_once_an_sm_has_been_simulated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """64 blocks more than there is room for: where it is said that an SM gets eight, those run."""
    parameters = load_parameters("h200")
    rounds = np.ones(4 * SMS + 64, np.int64)
    launch = Launch(_launch(rounds).program, (len(rounds), 1, 1), (64, 1, 1), 50 << 10,
                    [np.zeros(len(rounds) * 64, np.float32), rounds.astype(np.int32)])  # fmt: skip
    work = prepare(parameters, launch)
    assert work.placement.resident == 4
    assert len(work.placement.blocks) == 5
    assert not in_doubt(4 * SMS, work)
    assert not in_doubt(8 * SMS - 10, work)
    eight = np.arange(8, dtype=np.int64) * SMS % len(rounds)
    monkeypatch.setattr(tails, "deal_by_time", lambda *_: eight)
    dealt = deal_rest(parameters, launch, work, None)
    assert dealt.placement.blocks.tolist() == eight.tolist()
    assert len(dealt.streams.starts) == 8 * work.trace.warps + 1
    monkeypatch.setattr(tails, "deal_by_time", lambda *_: work.placement.blocks)
    assert deal_rest(parameters, launch, work, None) is work
