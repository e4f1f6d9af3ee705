"""Is the first, slow run recognised?"""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.emulator.runtime import scheduler
from simulator.first_run import is_compiled
from simulator.jit import sources
from simulator.toolchain.cache import CACHE_VARIABLE, write_entry


@pytest.fixture(autouse=True)
def _empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))


def test_an_empty_cache_means_a_first_run() -> None:
    assert not is_compiled()


def test_code_kept_of_the_present_sources_does_not() -> None:
    write_entry("compiled", sources.digest(scheduler.__name__), b"")
    assert is_compiled()


def test_code_of_other_sources_does_not_count() -> None:
    write_entry("compiled", "f" * 64, b"")
    assert not is_compiled()
