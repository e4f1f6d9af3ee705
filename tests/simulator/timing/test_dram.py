"""Does a read of DRAM wait for what it should, and L2 hold no more than it can?"""

from __future__ import annotations

import numpy as np
import pytest
from sources import idle, two_lines

from simulator.timing.caches import find_page, is_lone
from simulator.timing.channels import pages_of, places_of
from simulator.timing.dram import is_gone, pair_cost, wait_for_dram, wait_for_refresh
from simulator.timing.parameters import load_parameters
from simulator.timing.rating import make_rates
from simulator.timing.state import (
    DRAM_ASKED,
    DRAM_WRITTEN,
    FILLED,
    STORED_ALL,
)
from simulator.timing.stores import write_back

SMS = 132
H200 = load_parameters("h200")


def test_reads_wait_longer_the_busier_dram_is() -> None:
    """Not at all while it is idle, caches flushed or not; stores turn the bus round."""
    sm, rates = idle()
    latency = rates.l2_latency + rates.dram_latency
    streams = two_lines()._replace(luck=np.array([1, 3], np.float32))

    def wait(asked: float, written: float, line: int = 0, backlog: float = 0.0) -> float:
        for flow, value in ((DRAM_ASKED, asked), (DRAM_WRITTEN, written)):
            sm.flows[flow] = value
        return float(wait_for_dram(sm, streams, rates, line, 1000.0 - latency, backlog))

    assert wait(0, 0) == 0
    half, most, beyond = wait(500, 0), wait(900, 0), wait(5000, 0)
    assert half == pytest.approx(rates.dram_queue * 0.5**0.5)
    assert most == pytest.approx(rates.dram_queue * 0.9 / 0.1**0.5)
    assert most < beyond < 6 * half
    assert wait(500, 250) == pytest.approx((1 + rates.dram_turn / 2) * half)
    assert wait(500, 0, line=1) == pytest.approx(3 * half)
    assert wait(500, 0, backlog=1e6) == pytest.approx(0)  # that is waited for anyway


def test_a_read_waits_for_the_end_of_a_refresh() -> None:
    """A third of DRAM after the other, once in the interval."""
    _, rates = idle()
    streams = two_lines()._replace(part=np.array([0, 1], np.int32))
    waits = [wait_for_refresh(streams, rates, line, 100.0) for line in (0, 1)]
    assert waits == [pytest.approx(rates.refresh - 100), 0]
    later = wait_for_refresh(streams, rates, 0, rates.refresh_every + 100.0)
    assert later == pytest.approx(waits[0])
    assert 0.13 < rates.refresh / rates.refresh_every < 0.15


def test_half_the_chunks_are_far_and_an_sm_has_its_own() -> None:
    lines = np.arange(1 << 15, dtype=np.int64)
    alone = np.ones(len(lines), np.float32)
    first, second = (places_of(lines, H200.spread, alone, sm) for sm in (0, 1))
    chunks = first.far.reshape(-1, 32)  # 4 KiB each
    assert (chunks == chunks[:, :1]).all()
    assert first.far.mean() == pytest.approx(91, abs=8)
    assert (first.far == second.far).mean() == pytest.approx(0.5, abs=0.1)
    assert abs(first.uneven.mean()) < 0.05
    assert first.uneven.std() == pytest.approx(1, abs=0.05)
    assert first.luck.mean() == pytest.approx(1, abs=0.05)
    assert (first.luck > 2.3).mean() == pytest.approx(0.1, abs=0.02)  # as in a queue
    assert np.bincount(first.part).tolist() == pytest.approx([len(lines) / 3] * 3, rel=0.05)


def test_a_far_line_that_others_ask_for_is_only_far_on_its_way_back() -> None:
    lines = np.arange(1 << 10, dtype=np.int64)
    far = [
        places_of(lines, H200.spread, np.full(len(lines), n, np.float32)).far
        for n in (1, 2, 16, 132)
    ]
    assert [int(cycles.max()) for cycles in far] == [182, 136, 91, 91]
    assert all(((cycles > 0) == (far[0] > 0)).all() for cycles in far)


def test_half_a_line_costs_nearly_a_line_unless_the_other_half_follows() -> None:
    sm, rates = idle()
    streams = two_lines()._replace(paired=np.array([False, True]))
    assert [is_lone(bits) for bits in (1, 12, 5)] == [True, True, False]
    assert pair_cost(sm, streams, rates, 0, 0, False, 0.0) == 1
    assert pair_cost(sm, streams, rates, 0, 0, True, 0.0) == rates.dram_lone
    sm.l2_ready[0, 2] = 500  # on its way
    assert pair_cost(sm, streams, rates, 0, 0, True, 100.0) == pytest.approx(2 - rates.dram_lone)
    assert pair_cost(sm, streams, rates, 0, 0, True, 900.0) == rates.dram_lone
    assert pair_cost(sm, streams, rates, 1, 0, True, 0.0) == rates.dram_paired  # to another SM


def test_l2_forgets_a_line_when_as_much_has_been_fetched_as_it_holds() -> None:
    sm, rates = idle()
    assert not is_gone(sm, rates, 0, 1.0)  # its first use
    sm.flows[FILLED] = rates.l2_turnover
    assert not is_gone(sm, rates, 0, 1.0)
    sm.flows[FILLED] = 2 * rates.l2_turnover + 1
    assert is_gone(sm, rates, 0, 1.0)
    sm.flows[FILLED] = 3 * rates.l2_turnover + 2
    assert not is_gone(sm, rates, 0, 132.0)  # others have used it since


def test_stores_go_to_dram_when_l2_is_full() -> None:
    """Of what was read and stored, or of what was stored."""
    sm, rates = idle()
    written = []
    for filled, stored in ((0.0, 0.0), (rates.l2_turnover, 0.0), (0.0, rates.dirty_turnover)):
        sm.flows[FILLED], sm.flows[STORED_ALL], sm.flows[DRAM_WRITTEN] = filled, stored, 0.0
        write_back(sm, rates, 4, 4.0, 0)
        written.append(float(sm.flows[DRAM_WRITTEN]))
        assert sm.flows[FILLED] == pytest.approx(filled + 4 * rates.dram_read)
    assert written == [0, pytest.approx(4 * rates.dram_write), pytest.approx(4 * rates.dram_write)]
    assert rates.dirty_turnover < rates.l2_turnover


def test_further_pages_are_asked_for_once() -> None:
    sm, rates = idle()
    streams = two_lines()._replace(page=np.array([0, 1], np.int32))
    known = [find_page(sm, streams, rates, line, 10.0) for line in (0, 1, 1)]
    further = 10 + rates.page_miss
    assert known == [10 + rates.first_page, further, further]
    assert find_page(sm, streams, rates, 1, 900.0) == 900
    assert make_rates(H200, SMS, False, 64).page_miss == 0


def test_small_buffers_share_a_page() -> None:
    mib = 1 << 20
    spans = np.array([[0, 4096], [2 * mib, 2 * mib + 4096], [4 * mib, 9 * mib]])
    lines = np.array([0, 2 * mib, 4 * mib, 6 * mib, 8 * mib]) // 128
    pages = pages_of(lines, spans, H200.spread.page)
    assert pages[0] == pages[1]
    assert len(set(pages.tolist())) == 4
