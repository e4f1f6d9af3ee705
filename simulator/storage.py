"""Saved runs: one JSON file, with the arrays a kernel wrote beside it if asked for.

The file holds ``format``, ``schema`` (raised whenever a reader of the old one would misread),
``provenance`` (what made it) and ``run``, which mirrors :class:`simulator.results.Run` field by
field. Arrays have no place in JSON: ``save_run(..., outputs=True)`` writes them to
``NAME.outputs.npz`` next to ``NAME.json``, and the file names it. Reading gives back an equal
run; without saved arrays its ``outputs`` are empty.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import datetime, timezone
from enum import Enum
from importlib import metadata
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from simulator.errors import StorageError
from simulator.results import Run

FORMAT = "smreplay run"
SCHEMA = 4
# 1: without occupancy, intensity and roofline; 2: without the banks' units, sources of copies and
# timeline; 3: without ideal sectors of local memory, stack and the status of instructions.
OLDER_SCHEMAS = (1, 2, 3)
_PACKAGES = ("smreplay", "numpy", "numba", "nvidia-cuda-nvrtc", "nvidia-cuda-nvdisasm")


def check_place(path: str | os.PathLike[str]) -> None:
    """Find out before a replay that its file has no place to be written to.

    Raises:
        StorageError: there is no such folder, or the path is one.
    """
    target = Path(path)
    if target.is_dir():
        raise StorageError(f"cannot write {target}: it is a folder; choose another")
    if not target.absolute().parent.is_dir():
        raise StorageError(f"cannot write {target}: there is no such folder; choose another")


def save_run(run: Run, path: str | os.PathLike[str], outputs: bool = False) -> None:
    """Write a run to a JSON file, replacing it whole or not at all.

    ``outputs`` also saves the arrays the kernel wrote, to ``NAME.outputs.npz`` beside it.

    Raises:
        StorageError: the file cannot be written.
    """
    target = Path(path)
    content: dict[str, Any] = {"format": FORMAT, "schema": SCHEMA, "provenance": provenance()}
    if outputs:
        content["outputs"] = f"{target.stem}.outputs.npz"
    content["run"] = {key: value for key, value in _encode(run).items() if key != "outputs"}
    try:
        if outputs:
            arrays = {str(position): array for position, array in run.outputs.items()}
            np.savez(target.with_name(content["outputs"]), **arrays)  # type: ignore[arg-type]
        _write_whole(target, _layout(content))
    except OSError as error:
        raise StorageError(f"cannot write {target}: {error.strerror}; choose another") from None


def load_run(path: str | os.PathLike[str]) -> Run:
    """Read a run that :func:`save_run` wrote.

    Raises:
        StorageError: there is no such file, it is no saved run, of another schema, or damaged.
    """
    source = Path(path)
    content = _read(source)
    try:
        run: Run = _decode(Run, {**content["run"], "outputs": {}})
        _check_references(run)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StorageError(f"{source} is a damaged run ({error!r}); save it again") from None
    if "outputs" not in content:
        return run
    return replace(run, outputs=_read_outputs(source.with_name(str(content["outputs"]))))


def provenance() -> dict[str, str]:
    """What makes a run here: versions, platform and the time in UTC."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return {"created": now, "platform": platform.platform(), **versions}


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT or "schema" not in content:
        raise StorageError(f"{path} is no saved run; give a file written with --json or Run.save")
    if content["schema"] not in (SCHEMA, *OLDER_SCHEMAS):
        raise StorageError(
            f"{path} has run schema {content['schema']}, this version reads {SCHEMA} and older; "
            "save the run again or use the version that wrote it"
        )
    return content


def _read_outputs(path: Path) -> dict[int, Any]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {int(name): arrays[name] for name in arrays.files}
    except (OSError, ValueError) as error:
        raise StorageError(f"cannot read the saved arrays {path}: {error}") from None


def _write_whole(path: Path, text: str) -> None:
    """Write next to the target, then rename, so that nobody ever reads half a file."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _layout(content: Mapping[str, Any]) -> str:
    """JSON with one line for each entry of the long lists, so that files compare line by line."""
    run = dict(content["run"])
    head = {key: value for key, value in content.items() if key != "run"}
    lines = [f" {json.dumps(key)}: {_entries(value)}" for key, value in run.items()]
    start = json.dumps(head, indent=1)[:-2]
    return f'{start},\n "run": {{\n' + ",\n".join(lines) + "\n }\n}\n"


def _entries(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"  {json.dumps(item)}" for item in value) + "\n ]"
    return json.dumps(value)


def _encode(value: Any) -> Any:
    """Plain JSON values; numbers that JSON lacks (NaN, infinities) become their names."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: _encode(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, np.ndarray):
        return None  # only Run.outputs holds arrays; they are saved beside the file
    if isinstance(value, Mapping):
        return {str(key): _encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_encode(item) for item in value]
    if isinstance(value, np.generic):
        return _encode(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def _decode(kind: Any, value: Any) -> Any:
    """The value of a type annotation that ``_encode`` made ``value`` from."""
    origin, parameters = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        inner = next(item for item in parameters if item is not type(None))
        return None if value is None else _decode(inner, value)
    if origin is tuple:
        kinds = parameters[:1] * len(value) if Ellipsis in parameters else parameters
        return tuple(_decode(inner, item) for inner, item in zip(kinds, value, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {parameters[0](key): _decode(parameters[1], item) for key, item in value.items()}
    if is_dataclass(kind) and isinstance(kind, type):
        return _decode_dataclass(kind, value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if kind is float:
        if not isinstance(value, int | float | str):
            raise TypeError(f"{value!r} is no number")
        return float(value) if isinstance(value, str) else value
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value


def _check_references(run: Run) -> None:
    """Refuse what readers could stumble over: instructions and warps that are not in the run."""
    times = (run.time.cold, run.time.warm) if run.time else ()
    window = run.time.timeline if run.time else None
    issues = window.issues if window else ()
    named = {example.instruction for example in run.examples} | {i.instruction for i in issues}
    named.update(run.bank_pressure or {}, *(time.instruction_stalls for time in times))
    missing = named - {record.index for record in run.instructions}
    if missing:
        raise ValueError(f"no instruction {min(missing)}")
    if window and not all(0 <= issue.warp < len(window.warps) for issue in issues):
        raise ValueError("an issue of no warp")
    rows = [example.offsets for example in run.examples] + [*(run.bank_pressure or {}).values()]
    rows += [example.sources for example in run.examples if example.sources]
    if any(len(row) != 32 for row in rows):
        raise ValueError("not one number for each of 32 lanes or banks")


def _decode_dataclass(kind: type[Any], value: Any) -> Any:
    hints = get_type_hints(kind)
    strange = value.keys() - hints.keys()
    if strange:
        raise ValueError(f"unknown {kind.__name__} fields {sorted(strange)}")
    return kind(**{key: _decode(hints[key], item) for key, item in value.items()})
