"""What figures of source lines, instructions and memory are given: rows, bytes and labels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reports.data.findings import finding_groups
from reports.data.lines import shared_lines, short_labels, source_lines
from reports.data.traffic import UNMODELLED, hit_rate, memory_flows
from reports.errors import ReportError
from reports.figures import line_wavefronts, memory_chart, pipe_mix
from reports.figures.launch import limit_rows, opcode_rows
from reports.figures.memory_chart import flow_label
from reports.source_view import chosen_records, source_view
from simulator.device import load_device
from simulator.occupancy import BlockResources, find_occupancy
from simulator.results import Counter, Status
from tests.simulator.runs import FINDING, SOURCE, make_run


def test_lines_hold_their_text_and_totals() -> None:
    rows = {row.number: row for row in shared_lines(make_run())}
    assert list(rows) == [7, 8, 9]
    assert rows[8].text.startswith("float y = Bs[0]")
    assert (rows[8].totals.wavefronts, rows[8].totals.ideal) == (128, 32)
    assert rows[8].label == "k.cu:8"
    assert short_labels(list(rows.values())) == ["line 7", "line 8", "line 9"]
    elsewhere = replace(rows[8], file="other.cu")
    assert short_labels([rows[7], elsewhere]) == ["k.cu:7", "other.cu:8"]


def test_source_shows_every_line_and_what_runs_for_it() -> None:
    lines = source_lines(make_run(), "k.cu")
    assert [line.number for line in lines] == list(range(1, 12))
    assert lines[0].row is None
    assert lines[7].text.startswith("    float y")
    assert lines[7].row is not None
    assert [record.index for record in lines[7].row.records] == [2, 3, 4]


def test_of_many_instructions_a_line_shows_those_of_shared_memory() -> None:
    """Line 8 has two loads and an addition between which room must be made."""
    row = next(line.row for line in source_lines(make_run(), "k.cu") if line.number == 8)
    assert row is not None
    assert [record.index for record in chosen_records(row, 2)] == [2, 3]
    assert [record.index for record in chosen_records(row, 40)] == [2, 3, 4]
    assert chosen_records(row, 2)[0].sass in source_view(make_run())[0].html


def test_memory_flows_carry_bytes_or_say_unmodelled() -> None:
    shared, l1, l2, dram = memory_flows(make_run())
    assert (shared.start, shared.end, shared.bytes) == ("SM", "shared memory", 176 * 128)
    assert l1.bytes == 64 * 32
    assert flow_label(l2) == flow_label(dram) == UNMODELLED
    assert flow_label(shared) == "22.5 kB"
    texts = [note.text for note in memory_chart(make_run()).layout.annotations]
    assert "<b>22.5 kB</b><br>exact" in texts
    assert texts.count("<b>unmodelled</b>") == 2


def test_traffic_both_ways_is_told_where_it_is_modelled() -> None:
    ways = {"dram_read_bytes": 4096.0, "dram_write_bytes": 0.0}
    counters = {name: Counter(value, "bytes", Status.BOUNDED) for name, value in ways.items()}
    *_, l2, dram = memory_flows(make_run(counters=counters))
    assert (l2.detail, dram.detail) == ("", "4,096 bytes read, 0 written")


def test_source_text_is_no_markup_of_plotly() -> None:
    source = SOURCE.replace("As[0][tx]", "load<b>(As)")
    figure = line_wavefronts(make_run(source_text={"k.cu": source}))
    assert "load&lt;b&gt;(As)" in figure.data[0].customdata[0]


def test_hit_rates_are_shown_only_where_modelled() -> None:
    assert hit_rate(make_run(), "L1") == UNMODELLED
    known = make_run(counters={"l2_hit_rate": Counter(87.5, "%", Status.BOUNDED)})
    assert hit_rate(known, "L2") == "87.5 %"


def test_opcodes_beyond_the_most_executed_are_one_row() -> None:
    rows = opcode_rows(make_run())
    assert sum(row.executed for row in rows) == sum(r.executed for r in make_run().instructions)
    assert rows[0].opcode == "LDS"


def test_limits_that_bind_are_those_of_the_smallest_number() -> None:
    device = load_device("rtx4090")
    occupancy = find_occupancy(device, BlockResources(256, 120, 8192, 1), 256)
    rows = limit_rows(occupancy)
    smallest = min(limit for _, limit, _ in rows)
    assert [name for name, limit, binds in rows if binds] == [
        name for name, limit, _ in rows if limit == smallest
    ]


def test_pipes_that_nobody_knows_are_no_figure() -> None:
    with pytest.raises(ReportError, match="another device"):
        pipe_mix(make_run())
    (bars,) = pipe_mix(
        make_run(counters={"pipe_fma_instructions": Counter(12, Status.EXACT, "instructions")})
    ).data
    assert (list(bars.y), list(bars.x)) == (["fma"], [12])


def test_findings_of_a_line_that_differ_in_numbers_are_one_group() -> None:
    there = replace(FINDING, message=FINDING.message.replace("8 bytes", "12 bytes"), count=4)
    other = replace(FINDING, source_line=8)
    run = make_run(findings=(FINDING, there, other))
    first, second = finding_groups(run)
    assert (first.first, first.count) == (FINDING, FINDING.count + 4)
    assert first.text.startswith("float x")
    assert second.first.source_line == 8
