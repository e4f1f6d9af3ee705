"""Reads device files: what all GPUs share, then the compute capability, then the GPU itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from simulator.device.facts import Fact, read_fact
from simulator.device.model import REQUIRED_NUMBERS, REQUIRED_ROWS, Device
from simulator.device.structure import check_structure
from simulator.errors import DeviceDataError, UnknownNameError

DATA = Path(__file__).parent / "data"
SCHEMA = 1
_DROPPED = ("nvidia", "geforce", "tesla")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DeviceDataError(f"device file {path} is missing; reinstall smreplay") from None
    except json.JSONDecodeError as error:
        raise DeviceDataError(f"{path}: not valid JSON ({error}); correct the file") from None
    if not isinstance(content, dict):
        raise DeviceDataError(f"{path}: must hold an object; correct the file")
    return content


def read_facts(path: Path, kind: str, sources: Mapping[str, str]) -> dict[str, Fact]:
    """All facts of one file, checked.

    Raises:
        DeviceDataError: the file is missing, of another schema or kind, or a fact is wrong.
    """
    content = _read_json(path)
    if content.get("schema") != SCHEMA:
        found = content.get("schema")
        raise DeviceDataError(f"{path.name}: schema {found!r}, this version reads {SCHEMA}")
    if content.get("kind") != kind or not isinstance(content.get("facts"), dict):
        raise DeviceDataError(f"{path.name}: is no file of kind {kind!r} with 'facts'")
    return {k: read_fact(k, raw, path.name, sources) for k, raw in content["facts"].items()}


def read_sources(folder: Path) -> dict[str, str]:
    """Short name -> reference, from ``sources.json``."""
    return {str(key): str(text) for key, text in _read_json(folder / "sources.json").items()}


def _limit(facts: Mapping[str, Fact], key: str, name: str) -> int | tuple[int, ...]:
    if key not in facts:
        raise DeviceDataError(f"device {name!r} lacks {key!r}; add it to its data file")
    value = facts[key].value
    numbers = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(number, int) for number in numbers):
        raise DeviceDataError(f"device {name!r}: {key!r} must be whole; correct its data file")
    if isinstance(value, tuple) != (key in REQUIRED_ROWS):
        raise DeviceDataError(f"device {name!r}: {key!r} has the wrong shape")
    return value  # type: ignore[return-value]


def read_device(path: Path) -> Device:
    """The GPU of one device file, with the facts of its compute capability and the common ones.

    Raises:
        DeviceDataError: a file is broken, a limit is missing, or the GPU is one that the loops are
            not made for (``structure``); names it.
    """
    head = _read_json(path)
    for key, kind in (("name", str), ("title", str), ("architecture", int)):
        if not isinstance(head.get(key), kind):
            raise DeviceDataError(f"{path.name}: lacks {key!r}; add it")
    sources = read_sources(path.parent)
    facts = {
        **read_facts(path.parent / "common.json", "common", sources),
        **read_facts(path.parent / f"sm_{head['architecture']}.json", "architecture", sources),
        **read_facts(path, "device", sources),
    }
    check_structure(head["name"], facts)
    limits: dict[str, Any] = {
        key: _limit(facts, key, head["name"]) for key in (*REQUIRED_NUMBERS, *REQUIRED_ROWS)
    }
    return Device(head["name"], head["title"], head["architecture"], facts=facts, **limits)


@cache
def _index() -> dict[str, Path]:
    """Name and aliases -> device file."""
    found: dict[str, Path] = {}
    for path in sorted(DATA.glob("*.json")):
        content = _read_json(path)
        if content.get("kind") == "device":
            for name in (content["name"], *content.get("aliases", ())):
                found[_normal(name)] = path
    return found


def _normal(name: str) -> str:
    """``NVIDIA GeForce RTX 4090`` and ``rtx-4090`` become ``rtx4090``."""
    plain = name.lower()
    for word in _DROPPED:
        plain = plain.replace(word, "")
    return "".join(letter for letter in plain if letter.isalnum())


def device_names() -> tuple[str, ...]:
    """Names of the GPUs that have a data file, sorted; aliases are left out."""
    return tuple(sorted({path.stem for path in _index().values()}))


@cache
def load_device(name: str) -> Device:
    """The GPU of that name or alias; case, spaces and punctuation do not matter.

    Raises:
        UnknownNameError: there is no such GPU; lists those there are.
        DeviceDataError: its file is broken.
    """
    index, text = _index(), str(name)  # what is no text is no name either
    if _normal(text) not in index:
        raise UnknownNameError("device", text, device_names())
    return read_device(index[_normal(text)])


def device_title(name: str, architecture: int) -> str:
    """A device as all pages call it: its full name (``name`` without a file) and architecture."""
    title = load_device(name).title if _normal(name) in _index() else name
    return f"{title} (sm_{architecture})"
