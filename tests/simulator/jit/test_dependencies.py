"""Which files machine code depends on."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from simulator.jit import sources


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package in which top imports middle (a name), middle a module of a package, and so on."""
    texts = {
        "top.py": "from simulator.middle import (\n    one,\n    two,\n)\n",
        "middle.py": "from simulator.deep import low\n",
        "deep/__init__.py": "",
        "deep/low.py": "LIMIT = 1\n",
        "other.py": "from simulator.top import three\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(sources, "_PACKAGE", tmp_path)
    module = ModuleType("simulator.top")
    module.__file__ = str(tmp_path / "top.py")
    monkeypatch.setitem(sys.modules, "simulator.top", module)
    return tmp_path


def _digest() -> str:
    sources.digest.cache_clear()
    sources._files.cache_clear()
    return sources.digest("simulator.top")


@pytest.mark.parametrize("name", ["top.py", "middle.py", "deep/low.py", "deep/__init__.py"])
def test_a_change_in_what_is_imported_counts(package: Path, name: str) -> None:
    before = _digest()
    assert _digest() == before
    (package / name).write_text((package / name).read_text() + "LIMIT = 2\n")
    assert _digest() != before


def test_a_change_elsewhere_does_not(package: Path) -> None:
    before = _digest()
    (package / "other.py").write_text("LIMIT = 2\n")
    assert _digest() == before
