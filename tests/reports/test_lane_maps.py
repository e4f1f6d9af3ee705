"""Which lane touches which word of which bank, from requests worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from reports.data.lanes import BANKS, Cell, find_cells, lane_maps
from reports.data.pressure import bank_units, is_counted, pressure_rows
from reports.data.requests import Kind, Rule, bypass_wavefronts, meetings, reading, request_rule
from reports.figures import bank_pressure, heatmap
from reports.figures.heatmaps import COUNTED, WORST
from reports.figures.lane_maps import draw_lane_map, lane_grid, phase_name
from simulator.errors import ArgumentError
from simulator.memory.async_copy import count_cached
from simulator.memory.bypass_copy import count_bypass
from simulator.memory.count import count_shared
from simulator.memory.matrix import count_matrix
from simulator.results import InstructionRecord, SharedExample
from tests.simulator.runs import STRIDE_8, make_run, shared

FULL = 0xFFFFFFFF
LDS, WIDE = shared(0, "LDS R4, [R0]", 7, 16, 1, 1), shared(0, "LDS.128 R4, [R0]", 7, 16, 1, 1)
STORE, DOUBLE = shared(0, "STS.128 [R0], R4", 7, 16, 1, 1), shared(0, "LDS.64 R4, [R0]", 7, 1, 1, 1)
ATOMIC = shared(0, "ATOMS.ADD RZ, [R0], R4", 7, 16, 1, 1)
MATRIX = shared(0, "LDSM.16.M88.4 R4, [R0]", 7, 16, 4, 1)
PAIR = shared(0, "LDSM.16.M88.2 R4, [R0]", 7, 16, 2, 1)
COPY = shared(0, "LDGSTS.E [R0], [R2.64]", 7, 16, 1, 1)
BYPASS = shared(0, "LDGSTS.E.BYPASS.128 [R0], [R2.64]", 7, 16, 4, 1)


def example(offsets: tuple[int, ...], width: int = 4, mask: int = FULL) -> SharedExample:
    return SharedExample(0, mask, offsets, width, 1)


def copy(
    targets: tuple[int, ...], sources: tuple[int, ...], width: int = 4, reads: int = FULL
) -> SharedExample:
    return SharedExample(0, FULL, targets, width, 1, sources, reads)


def row_of(offsets: tuple[int, ...]) -> np.ndarray:
    return np.array(offsets, np.uint32)


PLAIN = request_rule(LDS, example((0,) * 32))


def test_a_row_is_free_of_conflicts() -> None:
    cells = list(find_cells(example(tuple(range(0, 128, 4))), PLAIN))
    assert cells == [Cell(lane, lane, 0, 0, 1) for lane in range(32)]


def test_a_column_meets_in_one_bank() -> None:
    cells = list(find_cells(example(tuple(range(0, 4096, 128))), PLAIN))
    assert cells == [Cell(lane, 0, lane, 0, 32) for lane in range(32)]


def test_lanes_on_one_word_share_it_unless_they_queue_up() -> None:
    same = example((64,) * 32)
    assert {cell.ways for cell in find_cells(same, request_rule(LDS, same))} == {1}
    assert {cell.ways for cell in find_cells(same, request_rule(ATOMIC, same))} == {32}


def test_inactive_lanes_touch_nothing() -> None:
    some = example(tuple(range(0, 128, 4)), mask=0b101)
    cells = list(find_cells(some, request_rule(LDS, some)))
    assert [cell.lane for cell in cells] == [0, 2]


def test_wide_lanes_touch_four_banks_in_phases_of_eight() -> None:
    wide = example(tuple(range(0, 512, 16)), 16)
    cells = list(find_cells(wide, request_rule(WIDE, wide)))
    assert len(cells) == 128
    assert {cell.phase for cell in cells} == {0, 1, 2, 3}
    assert [cell.bank for cell in cells if cell.lane == 9] == [4, 5, 6, 7]


def test_phases_merge_where_neighbours_share_and_only_for_loads() -> None:
    pairs = example(tuple(16 * (lane // 2) for lane in range(32)), 16)
    load, store = request_rule(WIDE, pairs), request_rule(STORE, pairs)
    assert (load.phase_lanes, load.merged) == (16, True)
    assert (store.phase_lanes, store.merged) == (8, False)


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
    record = {4: LDS, 8: DOUBLE, 16: WIDE}[width]
    found = sum_of_phases(request, request_rule(record, request))
    assert found == count_shared(offsets, width, "load").wavefronts


def sum_of_phases(request: SharedExample, rule: Rule) -> int:
    """The most ways of each phase, added up."""
    worst: dict[int, int] = {}
    for cell in find_cells(request, rule):
        worst[cell.phase] = max(worst.get(cell.phase, 0), cell.ways)
    return sum(worst.values())


SKEWED = tuple(80 * lane for lane in range(32))  # rows of 64 bytes and a pad: no conflict
ROWS = tuple(128 * lane for lane in range(32))  # rows one below the other: all in four banks


@pytest.mark.parametrize("offsets", [SKEWED, ROWS, tuple(16 * lane for lane in range(32))])
@pytest.mark.parametrize(("record", "matrices"), [(MATRIX, 4), (PAIR, 2)])
def test_matrices_are_phases_of_eight_row_addresses(
    offsets: tuple[int, ...], record: InstructionRecord, matrices: int
) -> None:
    request = example(offsets, 16)
    rule = request_rule(record, request)
    assert (rule.kind, rule.phase_lanes, rule.merged) == (Kind.MATRIX, 8, False)
    assert {cell.lane for cell in find_cells(request, rule)} == set(range(8 * matrices))
    assert sum_of_phases(request, rule) == count_matrix(row_of(offsets), matrices)[0]


ACROSS, DOWN = tuple(range(0, 128, 4)), tuple(range(0, 4096, 128))


@pytest.mark.parametrize(
    ("targets", "sources"),
    [(ACROSS, ACROSS), (DOWN, ACROSS), (ACROSS, DOWN), (STRIDE_8, ACROSS), (SKEWED, STRIDE_8)],
)
def test_lanes_of_copies_meet_in_banks_they_write_or_read(
    targets: tuple[int, ...], sources: tuple[int, ...]
) -> None:
    request = copy(targets, sources)
    rule = request_rule(COPY, request)
    page, *_ = count_cached(row_of(targets), row_of(sources), FULL, 4)
    assert sum_of_phases(request, rule) == page


def test_lanes_of_copies_that_write_zeros_read_nothing() -> None:
    """Idle lanes count as reading the banks they write."""
    request = copy(ACROSS, (0,) * 32, reads=0)
    assert set(meetings(request, request_rule(COPY, request)).values()) == {1}


def test_readings_of_copies_say_where_lanes_meet() -> None:
    for targets, sources, words in (
        (ACROSS, ACROSS, "no two lanes"),
        (DOWN, ACROSS, "what they write"),
        (ACROSS, DOWN, "what they read"),
    ):
        request = copy(targets, sources)
        assert words in reading(request, request_rule(COPY, request))
    old = example(ACROSS)
    assert "not in this run" in reading(old, request_rule(COPY, old))


LINES = tuple(16 * lane for lane in range(32))  # 8 lanes a 128-byte line
APART = tuple(16 * (lane % 8) + 512 * (lane // 8) for lane in range(32))
SHUFFLED = tuple(16 * (5 * lane % 32) for lane in range(32))
SCATTERED = tuple(64 * lane for lane in range(32))


@pytest.mark.parametrize("targets", [LINES, APART, SHUFFLED, SCATTERED])
@pytest.mark.parametrize("sources", [LINES, APART, SHUFFLED])
def test_copies_past_l1_go_in_numbered_wavefronts(
    targets: tuple[int, ...], sources: tuple[int, ...]
) -> None:
    request = copy(targets, sources, 16)
    turns = bypass_wavefronts(request)
    page, *_ = count_bypass(row_of(targets), row_of(sources), FULL)
    assert set(turns.values()) == set(range(page))
    assert set(turns) == set(range(32))
    cells = list(find_cells(request, request_rule(BYPASS, request)))
    assert {cell.lane: cell.wavefront for cell in cells} == turns
    assert (max(cell.ways for cell in cells) == 1) == (page == 4)


def test_maps_name_their_phases() -> None:
    for record, request, names in (
        (WIDE, example(LINES, 16), ["phase 0", "phase 1", "phase 2", "phase 3"]),
        (MATRIX, example(SKEWED, 16), ["matrix 0", "matrix 1", "matrix 2", "matrix 3"]),
        (WIDE, example((0,) * 32, 16), ["phases 0+1", "phases 2+3"]),
    ):
        run = make_run(instructions=(record,), examples=(request,))
        (item,) = lane_maps(run)
        drawn = [note.text for note in draw_lane_map(item).layout.annotations]
        assert drawn == names == [phase_name(item, n) for n in range(len(names))]


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


def test_pressure_of_a_run_without_bank_counts_is_its_worst_requests() -> None:
    first, _ = pressure_rows(make_run())
    assert first.uniform
    assert first.units == tuple(64 if bank % 8 == 0 else 0 for bank in range(BANKS))
    figure = bank_pressure(make_run())
    assert list(figure.data[0].z[0]) == list(first.units)
    assert figure.layout.title.text == WORST
    assert "cost less" not in figure.data[0].y[0]


def test_pressure_says_where_the_worst_request_stands_for_others() -> None:
    mild = make_run(examples=(SharedExample(1, FULL, STRIDE_8, 4, 4),))
    (row,) = pressure_rows(mild)
    assert not row.uniform
    assert bank_pressure(mild).data[0].y[0].endswith("(others cost less)")


def test_pressure_of_a_run_with_bank_counts_is_those() -> None:
    units = tuple(range(32))
    run = make_run(bank_pressure={3: units, 2: (5,) * 32})
    assert is_counted(run)
    rows = pressure_rows(run)
    assert [(row.records[0].index, row.units) for row in rows] == [(2, (5,) * 32), (3, units)]
    assert [row.unevenness for row in rows] == [1, 2]
    assert bank_pressure(run).layout.title.text == COUNTED


def test_many_instructions_are_shown_by_line() -> None:
    run = make_run(bank_pressure={2: (5,) * 32, 3: tuple(range(32)), 1: (1,) * 32})
    first, second = pressure_rows(run, most=2)
    assert [len(row.records) for row in (first, second)] == [1, 2]
    assert second.units == tuple(range(5, 37))


def test_units_of_wide_accesses_and_of_shared_words() -> None:
    spread = example(tuple(range(0, 512, 16)), 16)
    assert bank_units(STORE, spread) == (4,) * BANKS
    assert bank_units(WIDE, example((0,) * 32, 16)) == (2,) * 4 + (0,) * 28
    assert bank_units(LDS, example((0,) * 32)) == (1,) + (0,) * 31
