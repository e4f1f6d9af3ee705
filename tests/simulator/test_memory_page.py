"""Does the page show the whole picture of a launch, within 80 columns, in colour and piped?"""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from simulator.__main__ import name_page
from simulator.launching import open_catalogue, replay_target
from simulator.memory.explain import explain
from simulator.render_memory import render_memory
from simulator.render_parts import MARKS, MarkedTable, short_number
from simulator.results import COUNT_FIELDS, Counter, Run, Status
from simulator.roofline import find_roofline
from simulator.storage import load_run
from simulator.verdicts import find_verdicts
from tests.simulator.runs import make_run

ROOT = Path(__file__).parents[2]
SECTIONS = (
    "Shared memory",
    "Global and local memory",
    "Caches and DRAM",
    "Instructions",
    "Occupancy",
    "Intensity and roofline",
    "What binds, and by how much",
)


def lines_of(run: Run, width: int = 80, color: bool = False, everything: bool = False) -> list[str]:
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=color, highlight=False, markup=False)
    console.print(render_memory(run, explain, everything))
    return buffer.getvalue().splitlines()


@pytest.fixture(scope="module")
def run() -> Run:
    return replay_target(open_catalogue("register_tiling_gemm", 128, 0, "h200"), "h200", "auto")


def test_sections_in_order_within_80_columns(run: Run) -> None:
    lines = [line.rstrip() for line in lines_of(run)]
    assert [line for line in lines if line in SECTIONS] == list(SECTIONS)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("everything", [False, True])
def test_every_row_of_numbers_carries_its_mark(run: Run, everything: bool) -> None:
    lines = lines_of(run, everything=everything)
    first = next(n for n, line in enumerate(lines) if line.startswith(SECTIONS[0]))
    for line in lines[first:]:
        numbers = line.split() and line.split()[0] in MARKS.values()
        text = line.startswith(" ") or not line.strip() or line.rstrip() in SECTIONS
        assert numbers or text or ";" in line, line  # source lines fold and end in ;


def test_every_memory_instruction_is_shown_when_asked_for(run: Run) -> None:
    lines = [line.rstrip() for line in lines_of(run, everything=True)]
    assert [line for line in lines if line in SECTIONS] == list(SECTIONS)
    assert max(map(len, lines)) <= 80
    rows = [line.split()[1:3] for line in lines if line[:1] in MARKS.values()]
    for record in run.instructions:
        if record.global_requests or record.shared_requests:
            assert [str(record.source_line), record.opcode] in rows
    assert {record.opcode.split(".")[0] for record in run.instructions if record.executed} <= {
        row[0] for row in rows
    }


def test_instructions_add_up_and_pipes_stand_by_trust(run: Run) -> None:
    lines = lines_of(run)
    executed = run.counters["executed"].value
    first, last = (next(n for n, line in enumerate(lines) if line.startswith(word))
                   for word in ("Instructions", "= total"))  # fmt: skip
    counts = [int(line[1:].split("%")[0].split()[-2].replace(",", ""))
              for line in lines[first + 2 : last] if " under " not in line]  # fmt: skip
    rest = [int(line.split(" under ")[0].split()[-1].replace(",", ""))
            for line in lines[first + 2 : last] if " under " in line]  # fmt: skip
    assert sum(counts) + sum(rest) == executed
    ffma = run.counters["ffma_threads"].value
    assert any(line.startswith(f"= threads FFMA {ffma:,.0f}") for line in lines)
    assert any(line.startswith("= pipes   fma ") for line in lines)
    assert any(line.startswith("~ pipes   adu ") for line in lines)


def test_what_binds_takes_a_line_each(run: Run) -> None:
    """Also with numbers of a launch a thousand times as large, which are then shortened."""
    huge = tuple(
        replace(r, **{name: 10**5 * getattr(r, name) for name in COUNT_FIELDS})
        for r in run.instructions
    )
    worse = replace(run, instructions=huge, spill_load_bytes=1000, spill_store_bytes=1000)
    for shown in (run, replace(worse, roofline=find_roofline(worse))):
        lines = [line.rstrip() for line in lines_of(shown)]
        verdicts = lines[lines.index(SECTIONS[-1]) + 1 :]
        assert len(verdicts) == len(find_verdicts(shown)) > 3
        assert all(line[0] in MARKS.values() for line in verdicts)
    (spills,) = (line for line in verdicts if line.startswith("= spills"))
    assert "1,000 B stored, 1,000 B loaded" in spills  # four digits stay


def test_occupancy_says_how_many_blocks_would_fit(run: Run) -> None:
    found = run.occupancy
    assert found is not None
    (row,) = (line for line in lines_of(run) if line.startswith("= next"))
    text = f"{found.better_registers_blocks} blocks at {found.better_registers} registers a thread"
    assert text in row


def test_huge_numbers_fit_without_being_cut(run: Run) -> None:
    huge = tuple(
        replace(r, **{name: 10**9 * getattr(r, name) for name in COUNTS}) for r in run.instructions
    )
    lines = lines_of(replace(run, instructions=huge))
    assert max(len(line.rstrip()) for line in lines) <= 80
    assert not any("…" in line for line in lines)


COUNTS = ("executed", "thread_executed", "shared_requests", "global_sectors", "global_requests")


def test_counters_of_caches_are_shown_when_there(run: Run) -> None:
    counters = {**run.counters, "l2_read_sectors": Counter(4321, "sectors", Status.BOUNDED)}
    lines = lines_of(replace(run, counters=counters))
    (row,) = (line for line in lines if "4,321" in line)
    assert row.startswith("~ l2 read sectors")


def test_colour_changes_no_text(run: Run) -> None:
    plain = "".join(lines_of(run))
    coloured = "".join(lines_of(run, color=True))
    assert "\x1b[" in coloured
    assert "\x1b[" not in plain


def test_a_run_without_derived_parts_is_shown() -> None:
    lines = [line.rstrip() for line in lines_of(make_run())]
    assert [line for line in lines if line in SECTIONS] == list(SECTIONS)


def test_tables_shorten_numbers_only_when_they_must() -> None:
    table = MarkedTable(("", "a", "b"), [(Status.EXACT, ("row", 12345678901.0, 1234567.0))])
    texts = {}
    for width in (80, 26, 20):
        buffer = io.StringIO()
        Console(file=buffer, width=width).print(table)
        texts[width] = buffer.getvalue().splitlines()[1].split()
    assert texts[80] == ["=", "row", "12,345,678,901", "1,234,567"]
    assert texts[26] == ["=", "row", "12345678901", "1234567"]
    assert texts[20] == ["=", "row", "12.35G", "1.235M"]


@pytest.mark.parametrize(
    ("value", "text"), [(999, "999"), (1234, "1.234k"), (12.86e9, "12.86G"), (0.25, "0.25")]
)
def test_short_numbers(value: float, text: str) -> None:
    assert short_number(value) == text


@pytest.mark.parametrize(
    ("given", "understood"),
    [
        (["--kernel", "saxpy"], ["memory", "--kernel", "saxpy"]),
        (["banks", "--kernel", "saxpy"], ["banks", "--kernel", "saxpy"]),
        (["diff", "a", "b"], ["diff", "a", "b"]),
        (["--help"], ["--help"]),
        ([], ["--help"]),
    ],
)
def test_options_without_a_page_are_those_of_memory(
    given: list[str], understood: list[str]
) -> None:
    assert name_page(given) == understood


def test_command_saves_the_run(tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    words = ["--kernel", "saxpy", "--size", "1000", "--device", "a100", "--json", str(saved)]
    done = subprocess.run(
        [sys.executable, "-m", "simulator", *words], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    run = load_run(saved)
    assert run.occupancy is not None
    assert run.roofline is not None
    assert SECTIONS[-1] in done.stdout
