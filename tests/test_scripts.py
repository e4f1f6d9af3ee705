"""Do the scripts beside the pages end bad input with one message, and never a traceback?"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

from simulator.pages import EXIT_BAD_INPUT, run_script

ROOT = Path(__file__).parent.parent
BAD = {
    "validation.unseen FOLDER --device foo": "unknown device 'foo'",
    "validation.unseen FOLDER --only nothing": "unknown launch 'nothing'",
    "validation.unseen FILE/jobs --only top_k": "cannot open",
    "validation.time_accuracy --only nothing": "unknown launch 'nothing'",
    "validation.time_accuracy --write MISSING": "cannot open",
    "validation.time_accuracy --write FILE": "no markers",
    "validation.stall_samples --read MISSING --names MISSING": "cannot open",
    "validation.launch MISSING OUT --only MISSING": "cannot open",
    "validation.semantics.record MISSING": "cannot open",
    "validation.semantics.prepare FILE/jobs": "cannot open",
    "validation.microbench.build FILE/cubins": "cannot open",
    "validation.microbench.build FOLDER --device foo": "unknown device 'foo'",
    "validation.microbench.compare MISSING": "build the probes there first",
    "validation.microbench.compare MISSING --only nothing": "unknown probe 'nothing'",
    "validation.microbench.l1_list record MISSING MISSING MISSING": "cannot open",
    "validation.microbench.tiles jobs FILE/jobs": "cannot open",
    "benchmarks.pages nothing": "unknown kernel 'nothing'",
    "benchmarks.cache_errors nothing": "unknown launch 'nothing'",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_ends_in_one_message(
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "FILE").write_text("nothing\n")
    name, *words = re.sub(r"\b[A-Z]+\b", lambda word: str(tmp_path / word[0]), line).split()
    monkeypatch.setattr(sys, "argv", [name, *words])
    with pytest.raises(SystemExit) as ended:
        run_script(import_module(name).main)
    assert ended.value.code == EXIT_BAD_INPUT
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert BAD[line] in said
    assert len(said.splitlines()) == 1


def test_every_script_is_run_this_way() -> None:
    scripts = {}
    for package in ("validation", "benchmarks"):
        for path in (ROOT / package).rglob("*.py"):
            ending = path.read_text(encoding="utf-8").partition('if __name__ == "__main__":\n')[2]
            if ending and path.name != "__main__.py":
                scripts[path] = ending
    assert len(scripts) >= 20
    assert {path for path, ending in scripts.items() if ending != "    run_script(main)\n"} == set()


def test_an_interrupt_is_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    def main() -> None:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as ended:
        run_script(main)
    assert ended.value.code == 130
    assert capsys.readouterr().err == "error: interrupted\n"
