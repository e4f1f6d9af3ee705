"""Does the cache give back what was stored, and never anything damaged?"""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.toolchain import cache


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path))
    return tmp_path


def only_file(directory: Path) -> Path:
    (path,) = (item for item in directory.rglob("*") if item.is_file())
    return path


def test_round_trip() -> None:
    key = cache.cache_key("source", b"options")
    assert cache.read_entry("cubin", key) is None
    assert cache.write_entry("cubin", key, b"payload")
    assert cache.read_entry("cubin", key) == b"payload"
    assert cache.read_entry("disassembly", key) is None


def test_parts_of_a_key_do_not_run_together() -> None:
    assert cache.cache_key("ab", "c") != cache.cache_key("a", "bc")
    assert cache.cache_key("a") != cache.cache_key("a", "")


@pytest.mark.parametrize("damage", [b"", b"\0" * 10, b"x" * 39])
def test_a_damaged_entry_reads_as_missing(directory: Path, damage: bytes) -> None:
    key = cache.cache_key("source")
    cache.write_entry("cubin", key, b"payload")
    only_file(directory).write_bytes(damage)
    assert cache.read_entry("cubin", key) is None
    assert cache.write_entry("cubin", key, b"payload")
    assert cache.read_entry("cubin", key) == b"payload"


def test_one_flipped_bit_is_noticed(directory: Path) -> None:
    key = cache.cache_key("source")
    cache.write_entry("cubin", key, b"payload")
    data = bytearray(only_file(directory).read_bytes())
    data[-1] ^= 1
    only_file(directory).write_bytes(data)
    assert cache.read_entry("cubin", key) is None


def test_writing_leaves_no_temporary_files(directory: Path) -> None:
    for _ in range(3):
        cache.write_entry("cubin", cache.cache_key("source"), b"payload")
    assert only_file(directory).name == cache.cache_key("source")[2:]


def test_a_directory_that_cannot_be_written_means_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(blocked))
    assert not cache.write_entry("cubin", cache.cache_key("source"), b"payload")
    assert cache.read_entry("cubin", cache.cache_key("source")) is None


def test_without_the_variable_the_user_directory_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(cache.CACHE_VARIABLE)
    assert "smreplay" in str(cache.cache_directory())
