"""Does README do what it says? Its commands, its example and its numbers, from its own text."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.frontends.cuda import compile_cuda

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def run_python(folder: Path, *words: str) -> str:
    """Standard output of a Python command run in a folder, which must succeed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    result = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with README's own kernel, as source and as cubin."""
    (source,) = blocks("cuda")
    (tmp_path / "column.cu").write_text(source)
    (tmp_path / "column.cubin").write_bytes(compile_cuda(source, device="rtx4090").cubin)
    return tmp_path


def test_there_are_two_lines_to_copy() -> None:
    run, test = blocks("sh")[0].splitlines()
    assert run.endswith(".venv/bin/python -m simulator.banks --kernel register_tiling")
    assert test.endswith(".venv/bin/pytest -n auto")


def test_shown_output_is_what_the_first_line_prints(tmp_path: Path) -> None:
    printed = run_python(tmp_path, "-m", "simulator.banks", "--kernel", "register_tiling")
    shown = [line for line in blocks("text")[0].splitlines() if line]
    assert [line for line in shown if line not in printed.splitlines()] == []


def test_shown_picture_is_what_the_page_prints(tmp_path: Path) -> None:
    words = re.findall(r"`python -m simulator (--kernel [^`]*)`", README)
    printed = run_python(tmp_path, "-m", "simulator", *shlex.split(words[0])).splitlines()
    assert [line for line in blocks("picture")[0].splitlines() if line not in printed] == []


def test_commands_for_own_kernels(folder: Path) -> None:
    lines = blocks("sh")[1].splitlines()
    assert len(lines) == 3
    for line in lines:
        python, *words = shlex.split(line)
        assert python == "python"
        printed = run_python(folder, *words)
        assert ("32-way" in printed or "31" in printed) == ("--pattern" not in line)


def test_python_example(folder: Path) -> None:
    (example,) = blocks("python")
    (folder / "example.py").write_text(example)
    printed = run_python(folder, "example.py").splitlines()
    assert printed[0].startswith("line 6: LDS ")
    assert printed[0].endswith(f" {31 * 32} conflicts")
    assert "SharedCount(wavefronts=8, bank_conflicts=7," in printed[-2]
    assert "GlobalCount(requests=1, sectors=32, " in printed[-1]
