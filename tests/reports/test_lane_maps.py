"""Which lane touches which word of which bank, from requests worked out by hand."""

from __future__ import annotations

import pytest

from reports.data.lanes import BANKS, Cell, find_cells, lane_maps, phase_size
from reports.data.pressure import bank_deliveries, pressure_rows
from reports.figures import bank_pressure, heatmap
from reports.figures.heatmaps import lane_grid
from simulator.errors import ArgumentError
from simulator.memory.count import count_shared
from simulator.results import SharedExample
from tests.simulator.runs import STRIDE_8, make_run, shared

FULL = 0xFFFFFFFF
LDS, WIDE = shared(0, "LDS R4, [R0]", 7, 16, 1, 1), shared(0, "LDS.128 R4, [R0]", 7, 16, 1, 1)
STORE = shared(0, "STS.128 [R0], R4", 7, 16, 1, 1)


def example(offsets: tuple[int, ...], width: int = 4, mask: int = FULL) -> SharedExample:
    return SharedExample(0, mask, offsets, width, 1)


def test_a_row_is_free_of_conflicts() -> None:
    cells = list(find_cells(example(tuple(range(0, 128, 4))), 32, False))
    assert cells == [Cell(lane, lane, 0, 0, 1) for lane in range(32)]


def test_a_column_meets_in_one_bank() -> None:
    cells = list(find_cells(example(tuple(range(0, 4096, 128))), 32, False))
    assert cells == [Cell(lane, 0, lane, 0, 32) for lane in range(32)]


def test_lanes_on_one_word_share_it_unless_they_queue_up() -> None:
    same = example((64,) * 32)
    assert {cell.ways for cell in find_cells(same, 32, False)} == {1}
    assert {cell.ways for cell in find_cells(same, 32, True)} == {32}


def test_inactive_lanes_touch_nothing() -> None:
    cells = list(find_cells(example(tuple(range(0, 128, 4)), mask=0b101), 32, False))
    assert [cell.lane for cell in cells] == [0, 2]


def test_wide_lanes_touch_four_banks_in_phases_of_eight() -> None:
    cells = list(find_cells(example(tuple(range(0, 512, 16)), 16), 8, False))
    assert len(cells) == 128
    assert {cell.phase for cell in cells} == {0, 1, 2, 3}
    assert [cell.bank for cell in cells if cell.lane == 9] == [4, 5, 6, 7]


def test_phases_merge_where_neighbours_share_and_only_for_loads() -> None:
    pairs = example(tuple(16 * (lane // 2) for lane in range(32)), 16)
    assert phase_size(pairs, "load") == (16, True)
    assert phase_size(pairs, "store") == (8, False)
    assert phase_size(pairs, None) == (32, False)


@pytest.mark.parametrize(
    ("offsets", "width"),
    [
        (STRIDE_8, 4),
        (tuple(range(0, 4096, 128)), 4),
        (tuple(32 * lane for lane in range(32)), 16),
        (tuple(16 * (lane // 2) for lane in range(32)), 16),
        (tuple(8 * lane for lane in range(32)), 8),
        (tuple(4 * (7 * lane % 32) for lane in range(32)), 4),
    ],
)
def test_the_busiest_banks_of_all_phases_are_the_hardware_wavefronts(
    offsets: tuple[int, ...], width: int
) -> None:
    """The map shows the very conflicts that are counted."""
    request = example(offsets, width)
    lanes, _ = phase_size(request, "load")
    worst: dict[int, int] = {}
    for cell in find_cells(request, lanes, False):
        worst[cell.phase] = max(worst.get(cell.phase, 0), cell.ways)
    assert sum(worst.values()) == count_shared(offsets, width, "load").wavefronts


def test_instructions_that_differ_by_a_shift_share_a_map() -> None:
    moved = tuple(offset + 4096 + 4 for offset in STRIDE_8)
    run = make_run(
        examples=(SharedExample(2, FULL, STRIDE_8, 4, 4), SharedExample(3, FULL, moved, 4, 4))
    )
    (item,) = lane_maps(run)
    assert [record.index for record in item.records] == [2, 3]
    assert (item.conflicts, item.worst_ways, item.phases) == (96, 4, 1)


def test_grid_has_colours_only_where_lanes_touch() -> None:
    colours, rows, hovers = lane_grid([Cell(3, 5, 2, 0, 4)])
    assert colours[3][5] == 2.0
    assert rows[3][5] == "2"
    assert "4-way" in hovers[3][5]
    assert sum(value is not None for line in colours for value in line) == 1


def test_heatmap_of_a_run_shows_the_worst_or_the_one_asked_for() -> None:
    run = make_run()
    figure = heatmap(run)
    assert "4-way bank conflict" in figure.layout.title.text
    assert figure.layout.xaxis.title.text.startswith("bank")
    assert figure.layout.yaxis.title.text.startswith("lane")
    assert heatmap(run, 3).layout.title.text == figure.layout.title.text
    with pytest.raises(ArgumentError, match="instruction 1 made no shared request; those are 2, 3"):
        heatmap(run, 1)
    with pytest.raises(ArgumentError, match="no shared-memory request"):
        heatmap(make_run(examples=()))


def test_pressure_is_requests_times_deliveries() -> None:
    first, _ = pressure_rows(make_run())
    assert first.uniform
    assert first.deliveries == tuple(64 if bank % 8 == 0 else 0 for bank in range(BANKS))
    figure = bank_pressure(make_run())
    assert list(figure.data[0].z[0]) == list(first.deliveries)
    assert "as if every request were its worst one" in figure.layout.title.text
    assert "cost less" not in figure.data[0].y[0]


def test_pressure_says_where_the_worst_request_stands_for_others() -> None:
    mild = make_run(examples=(SharedExample(1, FULL, STRIDE_8, 4, 4),))
    (row,) = pressure_rows(mild)
    assert not row.uniform
    assert bank_pressure(mild).data[0].y[0].endswith("(others cost less)")


def test_deliveries_of_wide_accesses_and_of_shared_words() -> None:
    spread = example(tuple(range(0, 512, 16)), 16)
    assert bank_deliveries(STORE, spread) == (4,) * BANKS
    assert bank_deliveries(WIDE, example((0,) * 32, 16)) == (2,) * 4 + (0,) * 28
    assert bank_deliveries(LDS, example((0,) * 32)) == (1,) + (0,) * 31
