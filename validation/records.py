"""Hardware records: what one launch counted and took on a GPU, as a file that can be committed.

A record is a JSON object, stored compressed (``.json.xz``). Per-instruction counts are columns of
equal length, in the order of ``pc`` (byte offset of the instruction in its kernel)::

    schema        1
    kernel, size, seed, digest (of the arguments)
    entry, architecture, program_hash, compiler
    launch        grid, block, shared_bytes
    provenance    gpu, driver_version, ncu, cupy, settings, date ...
    instructions  pc, then one column a source-page metric
    metrics       cold and warm: metric -> number over the launch
    times         warm_us, cold_us, single_us: every repeat
    outputs       one object a buffer: argument, sha256, matches, max_error
    notes         what could not be measured, in words
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .errors import RecordError

SCHEMA = 1
SUFFIX = ".json.xz"
RECORDS_ROOT = Path(__file__).parent / "records"


@dataclass(frozen=True)
class Record:
    """One measured launch; the module's docstring gives the fields' meaning."""

    kernel: str
    size: Mapping[str, int]
    seed: int
    digest: str
    entry: str
    architecture: int
    program_hash: str
    compiler: str
    launch: Mapping[str, Any]
    provenance: Mapping[str, Any]
    instructions: Mapping[str, Sequence[int]] = field(default_factory=dict, repr=False)
    metrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False)
    times: Mapping[str, Sequence[float]] = field(default_factory=dict, repr=False)
    outputs: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()
    schema: int = SCHEMA

    def column(self, metric: str) -> dict[int, int]:
        """A per-instruction column by ``pc``; empty when it was not measured."""
        values = self.instructions.get(metric, ())
        return dict(zip(self.instructions.get("pc", ()), values, strict=bool(values)))


def save_record(record: Record, path: Path) -> None:
    """Write a record, compressed; equal records give equal files."""
    text = json.dumps(asdict(record), separators=(",", ":"), sort_keys=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(text.encode(), preset=9))


def load_record(path: Path) -> Record:
    """Read a record.

    Raises:
        RecordError: the file is missing, damaged or of another schema.
    """
    try:
        fields = json.loads(lzma.decompress(path.read_bytes()))
    except (OSError, lzma.LZMAError, ValueError) as error:
        raise RecordError(f"{path} is not a readable hardware record: {error}") from error
    if not isinstance(fields, dict) or fields.get("schema") != SCHEMA:
        raise RecordError(f"{path} has another schema than {SCHEMA}; measure it again")
    try:
        return Record(**fields)
    except TypeError as error:
        raise RecordError(f"{path} lacks or has unknown fields ({error}); measure again") from error


def record_paths(device: str, root: Path = RECORDS_ROOT) -> list[Path]:
    """The record files of a device (``h200``), in name order."""
    return sorted((root / device).glob(f"*{SUFFIX}"))


def check_program(record: Record, program_hash: str, compiler: str) -> None:
    """Refuse a record that was measured with other machine code.

    Raises:
        RecordError: the program hashes differ.
    """
    if record.program_hash == program_hash:
        return
    reason = (
        f"it was compiled by {record.compiler}, this kernel by {compiler}: install that version"
        if record.compiler != compiler
        else "the kernel's source or options changed since: measure it again"
    )
    raise RecordError(
        f"the record of {record.kernel} {dict(record.size)} holds other machine code "
        f"(program hash {record.program_hash[:12]}, now {program_hash[:12]}); {reason}"
    )
