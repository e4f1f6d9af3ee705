"""What the figures of two runs side by side are given."""

from __future__ import annotations

from dataclasses import replace

from reports.data.changes import chief_changes, line_changes, line_label, percent_of_before
from reports.figures.changes import changes_chart
from reports.page import render_page
from reports.pages.diff import diff_page
from simulator.diff import compare_runs
from simulator.results import LaunchTime, Run, SharedExample
from tests.reports.samples import timing
from tests.simulator.runs import make_run, record


def test_changes_in_percent_of_before() -> None:
    before = make_run()
    after = replace(before, registers=80, instructions=before.instructions[:3])
    changes = {c.name: c for c in chief_changes(compare_runs(before, after))}
    assert percent_of_before([changes["registers"]]) == [200.0]
    assert percent_of_before([changes["bank_conflicts"]]) == [50.0]


def test_new_totals_and_those_that_are_gone_say_so() -> None:
    """A bar of no length shows its text outside; what one run does not know is left out."""
    counted = {"occupancy": None}
    before = make_run(instructions=(record(0, "S2R R0, SR_TID.X", 4, 16),), examples=(), **counted)
    new, gone = (changes_chart(compare_runs(*pair)) for pair in both_ways(before, make_run()))
    (bars,), (other,) = new.data, gone.data
    place = list(bars.y).index("bank conflicts")
    assert (bars.x[place], bars.text[place]) == (0, "new: 96")
    assert bars.textposition[place] == "outside"
    assert other.text[list(other.y).index("bank conflicts")] == "0 %"
    assert "warps per sm" not in (*bars.y, *other.y)


def both_ways(one: Run, other: Run) -> list[tuple[Run, Run]]:
    """A pair and the pair turned round."""
    return [(one, other), (other, one)]


def test_lines_that_differ_come_by_memory_and_size() -> None:
    after = make_run(instructions=(*make_run().instructions[:3], record(8, "MOV R1, R2", 9, 5)))
    rows = line_changes(compare_runs(make_run(), after))
    assert [change.name for _, change in rows[:2]] == ["shared_wavefronts", "global_sectors"]
    names = [change.name for _, change in rows]
    assert set(names[names.index("executed") :]) == {"executed"}
    assert {line_label(line) for line, _ in rows} == {"8", "9", "10"}


def test_two_runs_are_shown_to_one_scale_with_their_worst_request() -> None:
    lanes = tuple(range(0, 128, 4))
    free = make_run(
        instructions=make_run().instructions[:2],
        examples=(SharedExample(1, 0xFFFFFFFF, lanes, 4, 1),),
    )
    for pair in both_ways(free, make_run()):
        page = diff_page(*pair)
        bars = [d.figure for d in page.drawings() if d.title.startswith("Shared wavefronts")]
        assert len({tuple(figure.layout.xaxis.range) for figure in bars}) == 1
        assert any("4-way" in drawing.title for drawing in page.drawings())
        assert page.title == "k on NVIDIA GeForce RTX 4090 (sm_89), before and after"


def test_compared_times_have_their_intervals() -> None:
    slow, fast = (make_run(time=LaunchTime(timing(us), timing(10.0))) for us in (20.0, 10.0))
    html = render_page(diff_page(slow, fast))
    assert "20 (16 to 25)" in html
    assert html.count("<td>apart</td>") == html.count("overlap: either may be faster") == 1
    assert "Only the run before" in render_page(diff_page(slow, make_run()))
