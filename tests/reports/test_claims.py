"""Are claims judged by what the replays count? Hand-made runs whose answers are known, and two
real ones."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from kernels import workloads
from reports.claims import Evidence, Verdict, ask, ask_all
from reports.claims.claim import is_near, judge_levels
from reports.claims.counting import (
    computed_while_loading,
    conflicts,
    flop_per_byte_thread,
    flop_per_byte_warp,
    reads_per_fma_thread,
    ways,
)
from reports.claims.questions import QUESTIONS
from reports.claims.threads import _why
from simulator.__main__ import PAGES
from simulator.errors import UnknownNameError
from simulator.pages import make_app
from simulator.results import Counter, InstructionRecord, LaunchTime, Run, Status, Timing
from tests.simulator.runs import make_run, record, shared

SOURCE = "x = Bs[dot][0];\ny = As[0][dot];\n"


@dataclass
class Prepared(Evidence):
    """Evidence that is not replayed but given."""

    runs: dict[str, Run] = field(default_factory=dict)

    times: dict[str, float] = field(default_factory=dict)

    def replay(self, kernel: str, *_: Any, **__: Any) -> Run:
        """The given run of a kernel."""
        return self.runs[kernel]

    def gap(self, kernel: str) -> dict[str, Timing]:
        """The given times by step."""
        return {name: Timing(us, 0, 0, 1, 1, 0.5, 0.5, {}, {}) for name, us in self.times.items()}


def run_of(*records: InstructionRecord, **changes: Any) -> Run:
    """A run of these instructions; line 1 names Bs, line 2 As."""
    return make_run(instructions=records, source_text={"k.cu": SOURCE}, examples=(), **changes)


def loads(ways_of_b: int, ways_of_a: int = 1) -> Run:
    return run_of(
        shared(0, "LDS R1, [R0]", 1, 16, 1, ways_of_b),
        shared(1, "LDS R2, [R0]", 2, 16, 1, ways_of_a),
    )


def timed(run: Run, microseconds: float) -> Run:
    """The run with a time that is right to 1 %."""
    warm = Timing(microseconds, 0.99 * microseconds, 1.01 * microseconds, 1, 1, 0.5, 0.5, {}, {})
    return replace(run, time=LaunchTime(warm, warm))


def test_the_reason_says_which_way_a_warp_differs_from_its_lanes() -> None:
    assert "a warp takes 75% of the bandwidth" in _why(Verdict.PER_THREAD, 0.25, 1 / 3)
    assert "a warp takes 2 times the bandwidth" in _why(Verdict.PER_THREAD, 2.0, 1.0)


def test_levels() -> None:
    assert judge_levels(1.0, 1.0, 1.0) is Verdict.HOLDS
    assert judge_levels(1.0, 2.0, 1.0) is Verdict.PER_THREAD
    assert judge_levels(2.0, 1.0, 1.0) is Verdict.FAILS
    assert is_near(1.04, 1.0)
    assert not is_near(1.06, 1.0)
    assert not is_near(None, 1.0)


def test_counts_per_thread_and_per_warp() -> None:
    """Two loads of 4 bytes for one multiply-add; one of them conflicts four ways."""
    run = run_of(
        shared(0, "LDS R1, [R0]", 1, 16, 1, 4),
        shared(1, "LDS R2, [R0]", 2, 16, 1, 1),
        record(2, "FFMA R3, R1, R2, R3", 2, 16),
    )
    assert flop_per_byte_thread(run) == 0.25
    assert flop_per_byte_warp(run) == 32 * 16 * 2 / (128 * 16 * 5)
    assert reads_per_fma_thread(run) == 2
    assert (conflicts(run), conflicts(run, "Bs["), conflicts(run, "As[")) == (48, 48, 0)
    assert (ways(run, "Bs["), ways(run, "As[")) == (4, 1)


@pytest.mark.parametrize(
    ("before", "padded", "verdict"),
    [(2, 1, Verdict.HOLDS), (2, 4, Verdict.FAILS), (1, 1, Verdict.FAILS)],
)
def test_padding_holds_only_if_it_cures_a_conflict(
    before: int, padded: int, verdict: Verdict
) -> None:
    runs = {
        "register_tiling_gemm": loads(before),
        "register_tiling_padded": loads(padded),
        "register_tiling_cured": loads(1),
    }
    answer = ask(8, Prepared(runs=runs))
    assert answer.verdict is verdict
    assert answer.table is not None
    assert [row[answer.table.head.index("of Bs")] for row in answer.table.rows] == [
        16 * (before - 1), 16 * (padded - 1), 0
    ]  # fmt: skip


@pytest.mark.parametrize(("ways_of_a", "verdict"), [(1, Verdict.HOLDS), (2, Verdict.FAILS)])
def test_article_two_holds_only_without_conflicts(ways_of_a: int, verdict: Verdict) -> None:
    answer = ask(13, Prepared(runs={"sgemm_reg_tiled_published": loads(1, ways_of_a)}))
    assert answer.verdict is verdict
    assert "As 2-way and Bs 8-way" in answer.found


@pytest.mark.parametrize(("blocks", "verdict"), [(64, Verdict.HOLDS), (128, Verdict.FAILS)])
def test_idle_sms_are_counted_from_the_grid(blocks: int, verdict: Verdict) -> None:
    run = make_run(grid=(blocks, 1, 1))
    assert ask(7, Prepared(runs={"register_tiled_gemm": run})).verdict is verdict


@pytest.mark.parametrize(("registers", "verdict"), [(80, Verdict.HOLDS), (120, Verdict.FAILS)])
def test_registers_are_the_compilers(registers: int, verdict: Verdict) -> None:
    run = make_run(registers=registers)
    assert ask(5, Prepared(runs={"register_tiling_gemm": run})).verdict is verdict


def barrier_run() -> Run:
    counters = {
        "flop_fp32": Counter(0, "flop", Status.EXACT),
        "warps_launched": Counter(16, "warps", Status.EXACT),
    }
    return run_of(record(0, "BAR.SYNC 0x0", 1, 32), counters=counters)


def test_speed_cannot_be_told_without_a_time() -> None:
    runs = {name: barrier_run() for name in ("tiled_gemm", "double_buffer_gemm", "vectorized_gemm")}
    for number in (9, 10):
        answer = ask(number, Prepared(runs=runs))
        assert answer.verdict is not Verdict.HOLDS
        assert "no predicted time" in answer.found


LOAD, STORE = record(0, "LDG.E R4, [R2.64]", 1, 16), record(2, "STS [R0], R4", 1, 16)
MULTIPLY = record(1, "FFMA R3, R1, R2, R3", 2, 16)


def loop(*records: InstructionRecord) -> Run:
    """A loop of these instructions, without and with a time."""
    placed = [replace(record, index=n) for n, record in enumerate(records)]
    counters = {**barrier_run().counters}
    return run_of(*placed, counters=counters)


def test_what_stands_between_a_load_and_its_store_is_counted() -> None:
    assert computed_while_loading(loop(LOAD, STORE, MULTIPLY)) == 0
    assert computed_while_loading(loop(LOAD, MULTIPLY, MULTIPLY, STORE)) == 2
    assert computed_while_loading(loop(STORE, MULTIPLY, LOAD, MULTIPLY)) == 1  # round the loop
    assert computed_while_loading(loop(MULTIPLY)) is None
    rare = replace(MULTIPLY, executed=4)
    assert computed_while_loading(loop(LOAD, rare, STORE)) == 0


@pytest.mark.parametrize(
    ("double", "tiled", "verdict"),
    [
        ((LOAD, MULTIPLY, STORE), 104.0, Verdict.HOLDS),
        ((LOAD, MULTIPLY, STORE), 101.0, Verdict.OPEN),
        ((LOAD, STORE, MULTIPLY), 104.0, Verdict.FAILS),
    ],
)
def test_hiding_is_judged_by_the_machine_code_and_the_time(
    double: tuple[InstructionRecord, ...], tiled: float, verdict: Verdict
) -> None:
    runs = {
        "tiled_gemm": timed(loop(LOAD, STORE, MULTIPLY), tiled),
        "double_buffer_gemm": timed(loop(*double), 100.0),
    }
    assert ask(10, Prepared(runs=runs)).verdict is verdict


@pytest.mark.parametrize(
    ("wide", "verdict"), [(104.0, Verdict.HOLDS), (101.0, Verdict.OPEN), (96.0, Verdict.FAILS)]
)
def test_a_slower_version_is_judged_by_predicted_times(wide: float, verdict: Verdict) -> None:
    idle = replace(LOAD, thread_executed=8 * 16, thread_executed_predicated_on=8 * 16)
    runs = {
        "tiled_gemm": timed(loop(LOAD, MULTIPLY), 100.0),
        "vectorized_gemm": timed(loop(idle, idle, MULTIPLY), wide),
    }
    answer = ask(9, Prepared(runs=runs))
    assert answer.verdict is verdict
    assert answer.found.startswith("8 of 32 lanes load; 1.50x the warp instructions, 67% of them")
    assert answer.table is not None
    assert [row[2] for row in answer.table.rows] == [0, 32]


def steps_of(conflicts: float, overlap: float, issue: float) -> dict[str, float]:
    return {
        "as it is": 100.0,
        "no bank conflicts": conflicts,
        "perfect overlap": overlap,
        "perfect issue": issue,
        "all three": 50.0,
    }


@pytest.mark.parametrize(
    ("times", "verdict", "words"),
    [
        (steps_of(90, 85, 82), Verdict.HOLDS, "about what the article says"),
        (steps_of(90, 50, 82), Verdict.FAILS, "that of pipeline bubbles is not"),
        (steps_of(60, 50, 99), Verdict.FAILS, "bank conflicts and pipeline bubbles"),
    ],
)
def test_the_gap_is_parted_by_what_ifs(
    times: dict[str, float], verdict: Verdict, words: str
) -> None:
    answer = ask(16, Prepared(runs={"register_tiling_gemm": make_run()}, times=times))
    assert answer.verdict is verdict
    assert words in answer.why
    assert answer.table is not None
    by_step = {row[0]: row[1] for row in answer.table.rows}
    assert by_step["no bank conflicts"] == times["no bank conflicts"]
    assert by_step["cuBLAS"] == pytest.approx(298.8)


def test_every_claim_can_be_judged_again() -> None:
    answer = ask(7, Prepared(runs={"register_tiled_gemm": make_run()}))
    assert answer.again[0] == "smreplay report claims --claim 7"
    assert answer.again[1:] == answer.commands


def test_traffic_is_told_once_it_is_counted() -> None:
    run = make_run()
    assert ask(12, Prepared(runs={"tiled_gemm": run})).verdict is Verdict.OPEN
    moved = {
        "dram_read_bytes": Counter(1e6, "bytes", Status.BOUNDED),
        "dram_write_bytes": Counter(0, "bytes", Status.BOUNDED),
        "l2_write_sectors": Counter(0, "sectors", Status.BOUNDED),
    }
    counted = replace(run, counters={**run.counters, **moved}, intensity=None)
    assert ask(12, Prepared(runs={"tiled_gemm": counted})).verdict is Verdict.FAILS


def test_there_are_sixteen() -> None:
    assert list(QUESTIONS) == list(range(1, 17))
    with pytest.raises(UnknownNameError, match="claim '17'"):
        ask(17, Evidence())


def test_real_replays() -> None:
    """The 4x4 tile on the machine code of today: its figure holds per thread, its grid as said."""
    heard: list[str] = []
    tile, grid = ask_all(Evidence(heard.append), [2, 7])
    assert heard == ["register_tiled_gemm"]  # replayed once for both
    assert (tile.verdict, grid.verdict) == (Verdict.PER_THREAD, Verdict.HOLDS)
    assert tile.found.startswith("1 FLOP/byte per thread")
    assert grid.commands == ("smreplay memory --kernel register_tiled_gemm",)


@pytest.mark.skipif(shutil.which("sed") is None, reason="this system has no sed")
def test_the_wider_tile_is_made_and_replayed_as_its_commands_say(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Claim 11 on the machine code of today; its commands stand for the source that is compiled."""
    answer = ask(11, Evidence())
    edit, replay = answer.commands
    source = str(files("kernels") / "sources")
    subprocess.run(
        edit.replace("kernels/sources", source), shell=True, cwd=tmp_path, check=True, timeout=60
    )
    monkeypatch.chdir(tmp_path)
    app = make_app("")
    for name, function, text in PAGES:
        app.command(name, help=text)(function)
    result = CliRunner().invoke(app, shlex.split(replay)[1:])
    assert result.exit_code == 0
    found = re.search(
        r"(\d+) registers a thread, spills ([\d,]+) B stored, ([\d,]+) B", result.output
    )
    assert found is not None
    registers, stored, loaded = (int(n.replace(",", "")) for n in found.groups())
    words = f"16x16: {registers} registers, {stored + loaded:,} bytes a thread spilled"
    assert words in answer.found
    assert answer.verdict is Verdict.HOLDS


def test_commands_name_kernels_and_options_that_exist() -> None:
    """Every other command of every claim, as far as its words go."""
    warps = {"warps_launched": Counter(1, "warps", Status.EXACT)}
    runs = {item.name: make_run(counters=warps) for item in workloads()}
    steps = ("as it is", "no bank conflicts", "perfect overlap", "perfect issue", "all three")
    evidence = Prepared(runs=runs, times=dict.fromkeys(steps, 1.0))
    app = make_app("")
    for name, function, _ in PAGES:
        app.command(name)(function)
    command = get_command(app)
    for number in set(QUESTIONS) - {11, 15}:
        for line in ask(number, evidence).commands:
            name, *words = shlex.split(line)[1:]
            options = command.commands[name].make_context(name, words).params
            assert options["kernel"] in runs
