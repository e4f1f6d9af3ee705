"""Properties of counting one request, and a slow second opinion on it."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from request_patterns import FULL, offsets, requests

from simulator.errors import ArgumentError
from simulator.memory.count import GlobalCount, SharedCount, count_global, count_shared

Request = tuple[list[int], int, int]


@given(requests(), st.sampled_from(["load", "store"]))
def test_shared_agrees_with_the_reference(request: Request, op: str) -> None:
    addresses, width, mask = request
    lanes = reference.make_lanes(addresses, mask)
    count = count_shared(addresses, width, op, mask)
    hardware = reference.hardware(lanes, width, op == "load")
    assert (count.wavefronts, count.bank_conflicts) == hardware
    assert count.page_wavefronts == reference.page(lanes, width, op == "load")
    assert count.wavefronts_ideal == reference.ideal(lanes, width, count.page_wavefronts)


@given(requests())
def test_global_agrees_with_the_reference(request: Request) -> None:
    addresses, width, mask = request
    lanes = reference.make_lanes(addresses, mask)
    expected = reference.global_page(lanes, width)
    for op in ("load", "store", "atomic"):
        count = count_global(addresses, width, op, mask)
        assert (count.sectors, count.sectors_ideal, count.tags) == expected
        assert count.requests == 1


@given(requests(), st.integers(0, 1 << 20), st.sampled_from(["load", "store"]))
def test_moving_by_whole_lines_changes_nothing(request: Request, lines: int, op: str) -> None:
    addresses, width, mask = request
    moved = [address + 128 * lines for address in addresses]
    assert count_shared(moved, width, op, mask) == count_shared(addresses, width, op, mask)
    assert count_global(moved, width, op, mask) == count_global(addresses, width, op, mask)


@given(requests(), st.integers(0, 1 << 30))
def test_stores_do_not_care_for_the_order_in_a_phase(request: Request, seed: int) -> None:
    addresses, width, _ = request
    size = reference.phase_size(width)
    order = [
        lane
        for first in range(0, 32, size)
        for lane in np.random.default_rng([seed, first]).permutation(size) + first
    ]
    mixed = [addresses[lane] for lane in order]
    assert count_shared(mixed, width, "store") == count_shared(addresses, width, "store")


@given(requests(), st.sampled_from(["load", "store"]))
def test_bounds(request: Request, op: str) -> None:
    addresses, width, mask = request
    count = count_shared(addresses, width, op, mask)
    lanes = mask.bit_count()
    assert max(1, count.phases) <= count.wavefronts <= lanes * max(1, width // 4)
    assert 1 <= count.wavefronts_ideal <= count.page_wavefronts
    assert count.bank_conflicts == count.wavefronts - count.phases
    sectors = count_global(addresses, width, op, mask)
    assert 1 <= sectors.tags <= sectors.sectors <= lanes
    assert sectors.sectors_ideal <= sectors.sectors


@given(st.integers(0, 1000), st.integers(1, FULL))
def test_a_broadcast_is_one_wavefront(unit: int, mask: int) -> None:
    for width in (1, 2, 4, 8):
        count = count_shared([unit * width] * 32, width, "load", mask)
        assert (count.wavefronts, count.page_wavefronts) == (1, 1)
    halves = sum(1 for half in (0xFFFF, 0xFFFF0000) if mask & half)
    assert count_shared([unit * 16] * 32, 16, "load", mask).wavefronts == halves


@given(offsets(4), st.integers(1, FULL))
def test_atomics_serialise_at_least_as_much_as_stores(addresses: list[int], mask: int) -> None:
    atomic = count_shared(addresses, 4, "atomic", mask)
    assert count_shared(addresses, 4, "store", mask).wavefronts <= atomic.wavefronts
    assert count_shared(addresses, 4, "popc_inc", mask).wavefronts <= atomic.wavefronts
    compare = count_shared(addresses, 4, "cas", mask)
    assert compare.wavefronts == 2 * atomic.wavefronts
    assert compare.bank_conflicts == atomic.bank_conflicts
    one_address = count_shared([addresses[0]] * 32, 4, "atomic", mask)
    assert one_address.wavefronts == mask.bit_count()


def test_the_classic_patterns() -> None:
    assert count_shared(range(0, 128, 4)) == SharedCount(1, 0, 1, 1, 1)
    assert count_shared([128 * lane for lane in range(32)]).bank_conflicts == 31
    assert count_shared([132 * lane for lane in range(32)]).bank_conflicts == 0
    assert count_shared([lane % 16 * 32 for lane in range(32)]) == SharedCount(4, 3, 1, 4, 1)
    assert count_global([128 * lane for lane in range(32)]) == GlobalCount(1, 32, 4, 32)


def test_missing_lanes_are_inactive() -> None:
    assert count_shared([0, 128]) == count_shared([0, 128] + [0] * 30, lane_mask=3)
    assert count_shared([]) == SharedCount(0, 0, 0, 0, 0)
    assert count_shared([0] * 32, lane_mask=0) == SharedCount(0, 0, 0, 0, 0)
    assert count_global([0] * 32, lane_mask=0) == GlobalCount(0, 0, 0, 0)
    assert count_shared([3, 4], lane_mask=2) == count_shared([0, 4], lane_mask=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], 3), "width of 3 bytes"),
        (([0], 16, "atomic"), "width of 16 bytes for 'atomic'"),
        (([0], 8, "popc_inc"), "a lane can access 4"),
        (([0], 4, "swap"), "unknown operation 'swap'; use one of load, store"),
        (([4, 6], 4), "lane 1 has offset 6, which is not a multiple of the 4 bytes"),
        (([-4], 4), "lane 0 has offset -4"),
        (([1 << 32], 4), "lane 0 has offset 4294967296"),
        (([0], 4, "load", 1 << 32), "does not fit in 32 bits"),
        (([0], 4, "load", -1), "does not fit in 32 bits"),
        (([0] * 33, 4), "offsets of shape (33,)"),
        (([[0]], 4), "offsets of shape (1, 1)"),
        (([0.5], 4), "offsets of type float64"),
    ],
)
def test_refusals(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        count_shared(*arguments)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_global_knows_its_own_operations() -> None:
    with pytest.raises(ArgumentError, match="unknown operation 'cas'"):
        count_global([0], 4, "cas")
