"""Are two runs matched line by line, and is every change named?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from simulator import __main__ as command
from simulator.diff import Change, LineDiff, RunDiff, compare_runs, match_lines
from simulator.pages import make_app
from simulator.results import Counter, LaunchTime, Run, Sampling, Status, Timing
from simulator.roofline import find_roofline
from tests.simulator.runs import SOURCE, make_run, record, shared


def cured_run() -> Run:
    """The hand-made run with a comment more on top and line 8 free of conflicts."""
    moved = [
        replace(r, source_line=r.source_line + 1)
        for r in make_run().instructions
        if r.source_line is not None
    ]
    moved[2:4] = [shared(2, "LDS.64 R4, [R2+0x1000]", 9, 16, 1, 1)]
    source = "// cured\n" + SOURCE
    changes: dict[str, Any] = {"registers": 44, "source_text": {"k.cu": source}}
    return make_run(instructions=tuple(moved), examples=(), **changes)


def changes_of(diff: RunDiff, opcode: str) -> dict[str, Change]:
    (line,) = (line for line in diff.lines if line.opcode == opcode)
    return {change.name: change for change in line.changed}


def test_equal_runs_do_not_differ() -> None:
    found = compare_runs(make_run(), make_run())
    assert (found.facts, found.lines, found.conflicts_grew) == ((), (), False)
    assert not any(change.difference for change in found.totals)


def test_lines_are_found_where_they_moved() -> None:
    found = compare_runs(make_run(), cured_run())
    (line,) = found.lines
    assert (line.line_before, line.line_after, line.opcode) == (8, 9, "LDS")
    assert line.text.startswith("float y")
    changes = changes_of(found, "LDS")
    assert changes["bank_conflicts"] == Change("bank_conflicts", 96, 0)
    assert changes["executed"] == Change("executed", 32, 16)


def test_totals_and_facts() -> None:
    found = compare_runs(make_run(), replace(cured_run(), device="h200", grid=(2, 1, 1)))
    totals = {change.name: change for change in found.totals}
    assert totals["registers"] == Change("registers", 40, 44)
    assert totals["bank_conflicts"].difference == -96
    assert ("device", "rtx4090", "h200") in found.facts
    assert ("grid", "1x1x1", "2x1x1") in found.facts


def test_releases_of_a_compiler_are_told_apart() -> None:
    tools = "ptxas Cuda compilation tools, release"
    old, new = f"{tools} 13.0, V13.0.88", f"{tools} 13.5, V13.5.37"
    found = compare_runs(make_run(compiler=old), make_run(compiler=new, program_hash="ab" * 32))
    facts = {name: words for name, *words in found.facts}
    assert facts == {"compiler": [old, new], "program": ["0123456789ab", "abababababab"]}


def test_resources_times_and_roofs_are_compared() -> None:
    clean = tuple(r for r in make_run().instructions if not r.bank_conflicts)
    cured = make_run(instructions=clean)
    runs = [
        replace(run, roofline=find_roofline(run), stack_bytes=stack, time=launch_time(us))
        for run, stack, us in ((make_run(), 64, 3.0), (cured, 0, 2.0))
    ]
    found = compare_runs(*runs)
    totals = {change.name: change for change in found.totals}
    assert totals["stack_bytes"] == Change("stack_bytes", 64, 0)
    assert totals["microseconds_cold"] == Change("microseconds_cold", 3.0, 2.0)
    assert totals["microseconds_warm"].status is Status.BOUNDED
    assert ("binding roof", "shared", "LSU") in found.facts
    roofs = runs[0].roofline
    assert roofs is not None
    assert roofs.binding is not None
    uneven = replace(roofs.binding, cycles=7779.6)
    others = tuple(uneven if roof is roofs.binding else roof for roof in roofs.roofs)
    one = replace(runs[0], roofline=replace(roofs, roofs=others))
    totals = {change.name: change for change in compare_runs(one, runs[1]).totals}
    assert totals["cycles_at_least"].before == 7780  # no parts of a cycle


def launch_time(microseconds: float) -> LaunchTime:
    timing = Timing(microseconds, 1.0, 9.0, 10, 10, 0.5, 0.5, {}, {})
    return LaunchTime(timing, timing)


def test_numbers_are_labelled_by_what_promises_less() -> None:
    scaled = make_run(sampling=Sampling(9, 3, "sampled", "there are many"), registers=44)
    totals = {change.name: change for change in compare_runs(make_run(), scaled).totals}
    assert totals["executed"].status is Status.BOUNDED
    assert totals["registers"].status is Status.EXACT
    assert totals["dram_bytes"].status is Status.BOUNDED


def test_an_opcode_in_one_run_only_has_no_number_in_the_other() -> None:
    extra = (*make_run().instructions, record(8, "IMAD R1, R2, R3, R4", 9, 4))
    found = compare_runs(make_run(), make_run(instructions=extra))
    assert changes_of(found, "IMAD")["executed"] == Change("executed", None, 4)


def test_what_a_run_does_not_model_is_no_change() -> None:
    counter = Counter(5.0, "instructions", Status.EXACT)
    found = compare_runs(make_run(counters={"pipe_alu_instructions": counter}), make_run())
    totals = {change.name: change for change in found.totals}
    assert totals["pipe_alu_instructions"].difference is None
    gone = compare_runs(make_run(), make_run(instructions=make_run().instructions[:-1]))
    assert changes_of(gone, "STG")["executed"].difference == -16


def test_without_sources_lines_are_themselves() -> None:
    before = make_run(source_text={})
    assert compare_runs(before, make_run(source_text={})).lines == ()
    moved = tuple(replace(r, source_line=(r.source_line or 0) + 1) for r in before.instructions)
    assert compare_runs(before, make_run(source_text={}, instructions=moved)).lines


def test_a_renamed_file_is_the_same_file() -> None:
    renamed = tuple(replace(r, source_file="new.cu") for r in make_run().instructions)
    after = make_run(instructions=renamed, source_text={"new.cu": SOURCE})
    assert compare_runs(make_run(), after).lines == ()


LINES = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12)


@given(LINES, LINES)
def test_matched_lines_are_a_growing_one_to_one_mapping(one: list[str], other: list[str]) -> None:
    matched = match_lines(one, other)
    assert list(matched.values()) == sorted(set(matched.values()))
    assert all(1 <= a <= len(one) and 1 <= b <= len(other) for a, b in matched.items())
    assert match_lines(one, one) == {n: n for n in range(1, len(one) + 1)}


def invoke(*words: str) -> Any:
    app = make_app("")
    for name, function, text in command.PAGES:
        app.command(name, help=text)(function)
    return CliRunner().invoke(app, ["diff", *words])


@pytest.fixture
def saved(tmp_path: Path) -> tuple[str, str]:
    """The run and the cured one as files."""
    make_run().save(tmp_path / "a.json")
    cured_run().save(tmp_path / "b.json")
    return str(tmp_path / "a.json"), str(tmp_path / "b.json")


def test_exit_codes_guard_a_pull_request(saved: tuple[str, str]) -> None:
    worse, better = saved
    assert invoke(worse, better, "--fail-on-conflicts").exit_code == 0
    assert invoke(worse, worse, "--fail-on-conflicts").exit_code == 0
    assert invoke(better, worse).exit_code == 0
    failed = invoke(better, worse, "--fail-on-conflicts")
    assert failed.exit_code == 1
    assert "+96 bank conflicts" in failed.output


@pytest.mark.parametrize("bad", ["none.json", "text.json"])
def test_files_that_are_no_runs_end_with_2(
    saved: tuple[str, str], tmp_path: Path, bad: str
) -> None:
    (tmp_path / "text.json").write_text("{}")
    result = invoke(saved[0], str(tmp_path / bad))
    assert result.exit_code == 2
    assert bad in result.output


def test_page_shows_the_line_and_its_conflicts(saved: tuple[str, str]) -> None:
    output = invoke(*saved).output
    assert "k.cu:8 > 9" in output
    assert "=   LDS bank conflicts" in output
    assert max(map(len, output.splitlines())) <= 80


def test_every_line_diff_holds_what_is_not_zero() -> None:
    for line in compare_runs(make_run(), cured_run()).lines:
        assert isinstance(line, LineDiff)
        assert all(change.before or change.after for change in line.changes)
