"""Is the first, slow run recognised?"""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.first_run import is_compiled
from simulator.jit import objects
from simulator.toolchain.cache import CACHE_VARIABLE, write_entry


@pytest.fixture(autouse=True)
def _empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))


def test_an_empty_cache_means_a_first_run() -> None:
    assert not is_compiled()


def test_one_kept_function_is_enough() -> None:
    write_entry(objects.folder(), "0" * 64, b"code")
    assert is_compiled()


def test_functions_of_other_sources_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    write_entry(objects.folder(), "0" * 64, b"code")
    monkeypatch.setattr(objects, "sources", lambda: "f" * 64)
    assert not is_compiled()
