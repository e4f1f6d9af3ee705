"""Is the first, slow run recognised?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simulator.first_run import COMPILED, is_compiled


def make_package(root: Path, source_time: int, cache_time: int | None) -> Path:
    """A package whose sources and caches carry these times."""
    for name in COMPILED:
        folder = root / name
        (folder / "__pycache__").mkdir(parents=True)
        files = {
            folder / "code.py": source_time,
            folder / "__pycache__" / "code.f-1.py311.nbi": cache_time,
        }
        for path, time in files.items():
            if time is not None:
                path.touch()
                os.utime(path, (time, time))
    return root


@pytest.fixture(autouse=True)
def _no_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


@pytest.mark.parametrize(
    ("source_time", "cache_time", "compiled"),
    [(100, 200, True), (200, 100, False), (1, None, False)],
)
def test_caches_count_when_newer_than_the_sources(
    tmp_path: Path, source_time: int, cache_time: int | None, compiled: bool
) -> None:
    assert is_compiled(make_package(tmp_path, source_time, cache_time)) is compiled


def test_one_package_without_cache_is_enough(tmp_path: Path) -> None:
    package = make_package(tmp_path, 100, 200)
    (package / COMPILED[1] / "__pycache__" / "code.f-1.py311.nbi").unlink()
    assert not is_compiled(package)


def test_only_modules_with_compiled_code_and_the_newest_cache_count(tmp_path: Path) -> None:
    package = make_package(tmp_path, 100, 200)
    folder = package / COMPILED[0]
    (folder / "plain.py").touch()  # newer than every cache, but it has none
    old = folder / "__pycache__" / "code.gone-9.py311.nbi"
    old.touch()
    os.utime(old, (50, 50))
    assert is_compiled(package)


def test_cache_folder_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = make_package(tmp_path / "package", 100, None)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    assert not is_compiled(package)
    (tmp_path / "cache" / "deep").mkdir(parents=True)
    (tmp_path / "cache" / "deep" / "code.f-1.py311.nbi").touch()
    assert is_compiled(package)
