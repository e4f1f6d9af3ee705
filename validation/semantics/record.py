"""The committed record of the probes: what an NVIDIA H200 computed.

``facts.json`` names the GPU, driver, compilers, and each probe's program and operands by hash.
``outputs.npz`` holds for every probe a SHA-256 a row over all its elements (uint8[row, 32]) and
some elements of every row in full, so that a difference can be seen and bounded.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.pages import run_script

from ..errors import MeasureError
from .probes import Probe, probes

RECORDS = Path(__file__).parent / "records" / "h200"
_KEPT = 64
_KEPT_BOUNDED = 1024


@dataclass(frozen=True)
class Recorded:
    """One probe: digests uint8[row, 32], and the elements kept in full [row, element]."""

    digests: NDArray[np.uint8]
    kept: NDArray[Any]


def row_digests(rows: NDArray[Any]) -> NDArray[np.uint8]:
    """SHA-256 of the bytes of every row, uint8[row, 32]."""
    hashes = [hashlib.sha256(np.ascontiguousarray(row).tobytes()).digest() for row in rows]
    return np.frombuffer(b"".join(hashes), np.uint8).reshape(len(rows), 32)


def as_rows(probe: Probe, output: NDArray[Any]) -> NDArray[Any]:
    """A probe's output as unsigned bits, [row, element]."""
    return output.view(f"u{output.dtype.itemsize}").reshape(len(probe.rows), -1)


def kept_elements(probe: Probe, rows: NDArray[Any]) -> NDArray[Any]:
    """The elements of every row that are kept in full, spread over the row."""
    return rows[:, :: rows.shape[1] // (_KEPT_BOUNDED if probe.bounded else _KEPT)]


def read_facts(folder: Path = RECORDS) -> dict[str, Any]:
    """Where the record comes from.

    Raises:
        MeasureError: there is no record.
    """
    try:
        facts: dict[str, Any] = json.loads((folder / "facts.json").read_text())
    except (OSError, ValueError) as error:
        raise MeasureError(f"no record of semantics in {folder}: {error}; measure it") from error
    return facts


def read_record(name: str, folder: Path = RECORDS) -> Recorded:
    """The record of one probe.

    Raises:
        MeasureError: the record lacks it.
    """
    with np.load(folder / "outputs.npz") as file:
        if f"{name}_digests" not in file.files:
            raise MeasureError(f"the record in {folder} lacks the probe {name}; measure it again")
        return Recorded(file[f"{name}_digests"], file[f"{name}_kept"])


def write_record(measured: Path, folder: Path = RECORDS) -> None:
    """Condense what :mod:`validation.semantics.measure` wrote."""
    arrays = {}
    with np.load(measured) as file:
        facts = json.loads(str(file["facts"]))
        for probe in probes():
            rows = as_rows(probe, file[probe.name])
            arrays[f"{probe.name}_digests"] = row_digests(rows)
            arrays[f"{probe.name}_kept"] = kept_elements(probe, rows)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "facts.json").write_text(json.dumps(facts, indent=1) + "\n")
    np.savez_compressed(folder / "outputs.npz", **arrays)  # type: ignore[arg-type]


def main() -> None:
    """Turn a measurement into the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measured", type=Path)
    parser.add_argument("--folder", type=Path, default=RECORDS)
    options = parser.parse_args()
    write_record(options.measured, options.folder)


if __name__ == "__main__":
    run_script(main)
