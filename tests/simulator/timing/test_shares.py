"""Does an SM get of L2 and DRAM what the others leave, and its share when all ask always?"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from simulator.timing.shares import take_share
from simulator.timing.state import L2_ASKED, L2_FREE, L2_STEP

SMS, SHARE = 100, 5.0  # cycles a sector takes of an SM's share


def take(flows: object, now: float, apart: float = 1e9, drift: float = 0.0) -> float:
    python = take_share.python  # type: ignore[attr-defined]
    rates = SimpleNamespace(sms=SMS, apart=apart, drift=drift)
    places = (L2_FREE, L2_ASKED, L2_STEP)
    return float(python(SimpleNamespace(flows=flows), rates, *places, SHARE, now))


def test_one_that_always_asks_gets_its_share() -> None:
    flows = np.zeros(32)
    now = 0.0
    for _ in range(2000):
        now = take(flows, now)
    assert now == pytest.approx(2000 * SHARE, rel=0.1)


def test_a_burst_after_a_long_silence_gets_nearly_everything() -> None:
    flows = np.zeros(32)
    before = 1e6
    assert take(flows, before) - before == pytest.approx(SHARE / SMS, rel=0.01)


def test_bursts_take_longer_the_more_the_sms_ask() -> None:
    times = []
    for idle in (10.0, 20.0, 100.0):
        flows = np.zeros(32)
        now = start = 0.0
        for _ in range(300):
            start = now
            for _ in range(8):
                now = take(flows, start)
            now = max(now, start) + idle * SHARE
        times.append(now - start - idle * SHARE)
    assert times[0] > times[1] > times[2]
    assert times[2] < 8 * SHARE / 20


def test_bursts_of_sms_that_are_in_step_take_as_long_as_all_of_them() -> None:
    """What goes beyond the cycles that the SMs are apart comes at the rate of a share."""
    for apart in (0.0, 100.0):
        flows = np.zeros(32)
        ends = [take(flows, 1e6, apart) - 1e6 for _ in range(100)]
        assert ends[-1] == pytest.approx(100 * SHARE - apart)
        assert ends[0] == pytest.approx(max(SHARE - apart, SHARE / SMS), rel=0.01)


def test_sms_run_out_of_step() -> None:
    ends = []
    for begin in (1e3, 1e4, 1e6):
        flows = np.zeros(32)
        ends.append([take(flows, begin, 0.0, 0.05) - begin for _ in range(100)][-1])
    assert ends[0] == pytest.approx(100 * SHARE - 50)
    assert ends[0] > ends[1] > ends[2]
