"""Does the time page say what is predicted, in 80 and 120 columns, and refuse what it cannot do?"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import simulator as sm
from simulator.errors import ArgumentError
from simulator.launching import open_catalogue, replay_target
from simulator.time import time
from simulator.timing.stalls import STALL_NAMES
from tests.simulator.paging import run_page

KERNEL = ("--kernel", "register_tiling", "--size", "128")


def page(*words: str, width: int = 80) -> Result:
    return run_page(time, *words, columns=width)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("option", ["--warm", "--gap"])
def test_the_page_fits(width: int, option: str) -> None:
    result = page(*KERNEL, option, width=width)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert not any("  lsu_data\n" in line for line in lines)


def test_the_page_is_a_command() -> None:
    words = [sys.executable, "-m", "simulator.time", *KERNEL, "--cold", "--warm"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "leave both out" in done.stderr


def test_the_page_shows_every_part() -> None:
    text = page(*KERNEL).stdout
    for part in ("cold", "warm", "interval us", "occupancy", "speed of light", "DRAM", "busy",
                 "lsu_data_stage", "stall", "short_scoreboard", "where warps wait"):  # fmt: skip
        assert part in text
    lines = Path("kernels/sources/register_tiling_gemm.cu").read_text().splitlines()
    waiting = text[text.index("where warps wait") :].split("\n\n")[0]
    numbers = [int(n) for n in re.findall(r"  (\d+) +\d+%", waiting)]
    assert len(numbers) == 8
    assert all(lines[n - 1].strip() for n in numbers)
    only = page(*KERNEL, "--cold").stdout
    assert "\n warm" not in only


def test_the_page_says_what_its_interval_is_worth() -> None:
    words = ("--kernel", "saxpy", "--size", "4096", "--warm")
    on_measured, on_other = (
        " ".join(page(*words, "--device", device).stdout.split()) for device in ("h200", "a100_80")
    )
    assert "Four of five times of kernels that nobody had looked at were in" in on_measured
    assert "numbers of the model were measured on another GPU; how wide" in on_other
    changed = page(*words, "--device", "h200", "--what-if", "clock_hz=2e9").stdout
    assert "The interval is that of launches as they are" in " ".join(changed.split())


def test_the_gap_shows_every_step() -> None:
    text = page(*KERNEL, "--gap", "--what-if", "clock_hz=2e9").stdout
    for part in ("as it is", "no bank conflicts", "perfect overlap", "perfect issue", "all three"):
        assert f" {part}" in text
    assert "what if: clock_hz=2000000000\n" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cold", "--warm"), "leave both out"),
        (("--what-if", "bank_conflicts=1"), "can only be 0"),
        (("--what-if", "colour=0"), "is unknown"),
        (("--what-if", "waits"), "write name=number"),
        (("--what-if", "clock_hz=nan"), "give a positive number"),
        (("--what-if", "l2_bytes=inf"), "give a positive number"),
        (("--what-if", "registers=64.5"), "give a whole number"),
        (("--what-if", "registers=300"), "a thread has at most 255"),
        (("--device", "b200"), "no clock of NVIDIA B200 is known"),
        (("--gap", "--json", "run.json"), "--gap does not go with --json"),
        (("--json", "nowhere/run.json"), "no such folder"),
    ],
)
def test_bad_options_end_in_2(words: tuple[str, ...], message: str) -> None:
    result = page(*KERNEL, *words)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_run_time_is_the_page_s_and_survives_saving(tmp_path: object) -> None:
    target = open_catalogue("register_tiling", 128, 0, "rtx4090")
    run = replay_target(target, "rtx4090", "auto", time=True)
    assert run.time is not None
    warm = run.time.warm
    assert warm.low_us < warm.microseconds < warm.high_us
    assert warm.cycles_elapsed > warm.cycles_active
    assert set(warm.stalls) <= set(STALL_NAMES)
    assert f"{warm.microseconds:.2f}" in page(*KERNEL, "--warm").stdout
    path = f"{tmp_path}/run.json"
    run.save(path)
    assert sm.load_run(path).time == run.time


def test_a_saved_what_if_is_the_page_s_and_the_api_s(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    words = ("--what-if", "bank_conflicts=0", "--what-if", "clock_hz=2e9")
    text = page(*KERNEL, *words, "--json", str(path)).stdout
    assert text == page(*KERNEL, *words).stdout
    saved = sm.load_run(path)
    assert saved.time is not None
    assert saved.time.changes == {"bank_conflicts": 0, "clock_hz": 2e9}
    assert sum(i.executed for i in saved.instructions) > 0
    target = open_catalogue("register_tiling", 128, 0, "rtx4090")
    what_if = {"bank_conflicts": 0, "clock_hz": 2e9}
    run = replay_target(target, "rtx4090", "auto", time=True, what_if=what_if)
    assert run.time == saved.time
    assert f"{run.time.warm.microseconds:.2f}" in text


@pytest.mark.parametrize(
    ("timed", "what_if", "message"),
    [
        (False, {"bank_conflicts": 0}, "give time=True as well"),
        (True, {"colour": 0}, "is unknown"),
        (True, {"registers": "many"}, "give names with numbers"),
        (True, 4, "give names with numbers"),
    ],
)
def test_what_ifs_that_make_no_sense_are_refused(timed: bool, what_if: Any, message: str) -> None:
    target = open_catalogue("register_tiling", 128, 0, "rtx4090")
    with pytest.raises(ArgumentError, match=message):
        replay_target(target, "rtx4090", "auto", time=timed, what_if=what_if)


def test_stalls_of_instructions_add_up_to_those_of_the_launch() -> None:
    target = open_catalogue("tiled_gemm", 128, 0, "rtx4090")
    run = replay_target(target, "rtx4090", "auto", time=True)
    assert run.time is not None
    for timing in (run.time.cold, run.time.warm):
        sums: dict[str, int] = {}
        for row in timing.instruction_stalls.values():
            for name, cycles in row.items():
                sums[name] = sums.get(name, 0) + cycles
        issued = sums["selected"]
        assert {n: c / issued for n, c in sums.items()} == pytest.approx(dict(timing.stalls))
        executed = {i.index for i in run.instructions if i.executed}
        assert timing.instruction_stalls.keys() <= executed


def test_the_device_has_its_full_name() -> None:
    first = page(*KERNEL, "--warm", "--device", "RTX 4090").stdout.splitlines()[0]
    assert first == "register_tiling_gemm on NVIDIA GeForce RTX 4090 (sm_89)"
