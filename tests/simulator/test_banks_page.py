"""Does the page launch what was asked for, and does every bad input end in one clear message?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from simulator import banks, replaying
from simulator.errors import CompileError, ReplayError
from simulator.launching import Target
from simulator.storage import load_run
from tests.simulator.runs import SOURCE, make_run

ROOT = Path(__file__).parents[2]
SAXPY = """extern "C" __global__ void twice(int n, float* x) {
    if (threadIdx.x < n) x[threadIdx.x] *= 2;
}
"""


@pytest.fixture
def app() -> typer.Typer:
    """The page alone, as ``python -m simulator.banks`` has it."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(banks.banks)
    return app


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Target, str, str | int]]:
    """Replaces the replay by the hand-made run; holds what would have been replayed."""
    monkeypatch.setattr(replaying, "is_compiled", lambda: True)
    calls: list[tuple[Target, str, str | int]] = []

    def replay(target: Target, device: str, blocks: str | int, *_: bool) -> Any:
        calls.append((target, device, blocks))
        return make_run(kernel=target.kernel.name)

    monkeypatch.setattr(replaying, "replay_target", replay)
    return calls


def invoke(app: typer.Typer, *words: str) -> Any:
    """The result of the page with these words on the command line."""
    return CliRunner().invoke(app, list(words))


def test_catalogue_kernel(app: typer.Typer, launched: list[Any]) -> None:
    result = invoke(app, "--kernel", "saxpy", "--size", "1000", "--device", "h200", "--blocks", "2")
    assert result.exit_code == 0, result.output
    ((target, device, blocks),) = launched
    assert (device, blocks) == ("h200", 2)
    assert target.kernel.architecture == 90
    assert target.launch.grid[0] * target.launch.block[0] >= 1000
    assert "LDS R5, [R2+0x1000]" in result.output
    assert "\x1b[" not in result.output


def test_named_sizes_and_seed(app: typer.Typer, launched: list[Any]) -> None:
    arguments = []
    for seed in ("0", "0", "1"):
        words = ("--kernel", "tiled_gemm", "--size", "m=64,n=32,k=96", "--seed", seed)
        assert invoke(app, *words).exit_code == 0
        arrays = [a for a in launched[-1][0].arguments if isinstance(a, np.ndarray)]
        arguments.append(arrays[0])
    assert arguments[0].size == 64 * 96
    np.testing.assert_array_equal(arguments[0], arguments[1])
    assert (arguments[0] != arguments[2]).any()


def test_source_file(app: typer.Typer, launched: list[Any], tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(SAXPY.replace("*= 2", "*= FACTOR"))
    result = invoke(
        app, "--source", str(tmp_path / "k.cu"), "--entry", "twice", "--grid", "1",
        "--block", "8,4", "--shared-bytes", "128", "--arg", "i32=32", "--arg", "f32[32]=ones",
        "--option", "-DFACTOR=3",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    ((target, device, blocks),) = launched
    assert (device, blocks) == ("rtx4090", "auto")
    assert target.kernel.name == "twice"
    assert (target.launch.grid, target.launch.block) == ((1, 1, 1), (8, 4, 1))
    assert target.launch.shared_bytes == 128
    assert target.arguments[0] == np.int32(32)


@pytest.mark.parametrize("option", ["--seed", "--shared-bytes"])
def test_numbers_below_zero_are_refused(app: typer.Typer, launched: list[Any], option: str) -> None:
    result = invoke(app, "--kernel", "saxpy", option, "-1")
    assert (result.exit_code, launched) == (2, [])
    assert option in result.output


@pytest.mark.parametrize("place", ["no/run.json", "."])
def test_a_run_that_cannot_be_saved_is_told_before_the_replay(
    app: typer.Typer, launched: list[Any], tmp_path: Path, place: str
) -> None:
    result = invoke(app, "--kernel", "saxpy", "--json", str(tmp_path / place))
    assert (result.exit_code, launched) == (2, [])
    assert "cannot write" in result.output


def test_json_holds_the_run(app: typer.Typer, launched: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    assert invoke(app, "--kernel", "saxpy", "--json", str(path)).exit_code == 0
    assert load_run(path).instructions == make_run().instructions


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "exactly one of --kernel, --source, --cubin, --pattern; none given"),
        (["--kernel", "saxpy", "--pattern", "lane"], "--kernel and --pattern given"),
        (["--kernel", "saxpi"], "unknown kernel 'saxpi'; did you mean saxpy"),
        (["--kernel", "saxpy", "--device", "rtx9090"], "unknown device 'rtx9090'"),
        (["--kernel", "saxpy", "--size", "big"], "--size 'big': give a number"),
        (["--kernel", "saxpy", "--size", "q=3"], "no size 'q'"),
        (["--kernel", "saxpy", "--blocks", "some"], "--blocks 'some': give auto, all"),
        (["--kernel", "saxpy", "--blocks", "0"], "--blocks '0': give auto, all"),
        (["--kernel", "saxpy", "--grid", "1"], "--grid does not go with --kernel"),
        (["--kernel", "saxpy", "--mask", "0x1"], "--mask does not go with --kernel"),
        (["--source", "none.cu", "--grid", "1"], "--source needs --block, for example --block"),
        (["--source", "none.cu", "--grid", "1", "--block", "1"], "none.cu"),
        (["--source", "k.cu", "--grid", "x", "--block", "1"], "--grid 'x': give one to three"),
        (["--source", "k.cu", "--size", "4"], "--size does not go with --source"),
        (["--cubin", "none.cubin", "--grid", "1", "--block", "1"], "none.cubin"),
        (
            ["--cubin", "k", "--grid", "1", "--block", "1", "--option", "-G"],
            "--option does not go with --cubin",
        ),
        (
            ["--source", "k.cu", "--grid", "1", "--block", "1", "--arg", "f32=x"],
            "1st --arg 'f32=x'",
        ),
        (["--pattern", "tid*4"], "unknown name 'tid'"),
        (["--pattern", "lane", "--json", "x.json"], "--json does not go with --pattern"),
        (["--pattern", "lane*4", "--op", "fetch"], "unknown operation 'fetch'"),
        (["--pattern", "lane*4", "--unit", "words"], "unknown unit 'words'"),
        (["--pattern", "lane*4", "--mask", "0"], "lane mask '0'"),
        (["--pattern", "lane*4", "--width", "5"], "width 5 is not 1, 2, 4, 8 or 16"),
        (["--pattern", "-1", "--width", "1"], "is negative"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(
    app: typer.Typer, launched: list[Any], words: list[str], message: str
) -> None:
    result = invoke(app, *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""
    assert launched == []


@pytest.mark.parametrize(
    ("error", "code", "lines"),
    [
        (ReplayError("deadlock at line 3"), 2, ["error: deadlock at line 3"]),
        (CompileError("refused", "a.cu(1): no"), 2, ["error: refused", "a.cu(1): no"]),
        (KeyboardInterrupt(), 130, ["error: interrupted"]),
    ],
)
def test_errors_of_the_replay(
    app: typer.Typer,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    lines: list[str],
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(replaying, "is_compiled", lambda: True)
    monkeypatch.setattr(replaying, "replay_target", fail)
    result = invoke(app, "--kernel", "saxpy")
    assert result.exit_code == code
    assert result.stderr.splitlines() == lines


def test_first_run_says_that_it_compiles(
    app: typer.Typer, launched: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert invoke(app, "--kernel", "saxpy").stderr == ""
    monkeypatch.setattr(replaying, "is_compiled", lambda: False)
    assert "First run: compiling" in invoke(app, "--kernel", "saxpy").stderr


def test_errors_in_the_program_are_not_hidden(
    app: typer.Typer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "replay_target", lambda *_: 1 / 0)
    assert isinstance(invoke(app, "--kernel", "saxpy").exception, ZeroDivisionError)


@pytest.mark.parametrize("device", ["h200", "a100", "rtx5090"])
def test_cubin_of_another_architecture_is_refused(
    app: typer.Typer, tmp_path: Path, device: str
) -> None:
    from simulator.frontends.cuda import compile_cuda

    (tmp_path / "k.cubin").write_bytes(compile_cuda(SOURCE, "k", "rtx4090").cubin)
    words = ("--cubin", str(tmp_path / "k.cubin"), "--grid", "1", "--block", "16")
    result = invoke(app, *words, "--device", device)
    assert result.exit_code == 2
    assert "this is machine code for sm_89" in result.stderr


def test_launch_over_a_limit_is_refused(app: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(SAXPY)
    words = ("--source", str(tmp_path / "k.cu"), "--grid", "1", "--block", "2048")
    result = invoke(app, *words)
    assert result.exit_code == 2
    assert "block.x is 2,048; NVIDIA GeForce RTX 4090 allows 1,024" in result.stderr


def run_module(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """``python -m ...`` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("words", [["simulator.banks"], ["simulator", "banks"]])
def test_both_commands_lead_to_the_page(words: list[str]) -> None:
    result = run_module(*words, "--kernel", "nothing-like-it")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: unknown kernel 'nothing-like-it'")


def test_lists() -> None:
    assert "rtx4090" in run_module("simulator", "devices").stdout
    assert "register_tiling" in run_module("simulator", "kernels").stdout
