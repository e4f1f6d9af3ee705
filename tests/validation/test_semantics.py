"""Does the emulator compute what an NVIDIA H200 computed, bit for bit?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from validation.errors import MeasureError
from validation.jobs import arguments_digest
from validation.semantics.probes import Probe, probes
from validation.semantics.record import (
    as_rows,
    kept_elements,
    read_facts,
    read_record,
    row_digests,
)

# Errors of the special-function unit (PTX ISA, the .approx instructions): most results are within
# 2 units in the last place; sine, cosine and logarithm have an absolute error near their zeros.
ULPS = 2
ABSOLUTE = {"sin": 2.0**-20.5, "cos": 2.0**-20.5, "lg2": 2.0**-22}
RELATIVE = {"tanh": 2.0**-10.98}

PROBES = {probe.name: probe for probe in probes()}
FACTS = read_facts()


def _replay(probe: Probe) -> Any:
    """The probe's output in the emulator as bits, after checks that it is the recorded program."""
    kernel, problem = probe.kernel(), probe.problem()
    recorded = FACTS["programs"][probe.name]
    assert arguments_digest(problem.arguments) == recorded["digest"]
    if kernel.program_hash != recorded["program_hash"]:
        pytest.skip(f"recorded with {FACTS['compiler']}, this compiler makes other machine code")
    launch = Launch(
        build_program(kernel), problem.launch.grid, problem.launch.block, 0, problem.arguments
    )
    assert launch.run(np.arange(problem.launch.grid[0])).faults == ()
    return as_rows(probe, launch.outputs()[probe.output])


def _differences(probe: Probe, rows: Any) -> list[str]:
    """Every row that differs from the record, with an element where it is among those kept."""
    record = read_record(probe.name)
    differing = (row_digests(rows) != record.digests).any(axis=1)
    found = []
    for n in np.flatnonzero(differing):
        wrong = np.flatnonzero(kept_elements(probe, rows)[n] != record.kept[n])
        where = f" first at {wrong[0]}" if wrong.size else " not in the elements kept in full"
        found.append(probe.rows[n] + where)
    return found


@pytest.mark.parametrize("name", [n for n, p in PROBES.items() if not p.bounded])
def test_results_bit_for_bit(name: str) -> None:
    assert _differences(PROBES[name], _replay(PROBES[name])) == []


def _ordered(bits: Any) -> Any:
    """Float32 bits as integers in the order of the numbers."""
    wide = bits.astype(np.int64)
    return np.where(wide >= 1 << 31, (1 << 31) - wide, wide)


def _within(name: str, emulated: Any, measured: Any) -> Any:
    function = name.partition(".")[0]
    near = np.abs(_ordered(emulated) - _ordered(measured)) <= ULPS
    x, y = (v.view(np.float32).astype(np.float64) for v in (emulated, measured))
    with np.errstate(invalid="ignore"):
        near |= np.abs(x - y) <= ABSOLUTE.get(function, 0.0)
        near |= np.abs(x - y) <= RELATIVE.get(function, 0.0) * np.abs(y)
    return np.where(np.isfinite(x) & np.isfinite(y), near, emulated == measured)


@pytest.mark.parametrize("name", [n for n, p in PROBES.items() if p.bounded])
def test_results_within_the_documented_error(name: str) -> None:
    probe = PROBES[name]
    rows, record = kept_elements(probe, _replay(probe)), read_record(name)
    for n, row in enumerate(probe.rows):
        good = _within(row, rows[n], record.kept[n])
        assert good.all(), f"{row}: element {np.flatnonzero(~good)[0]}"


def test_a_wrong_bit_is_seen() -> None:
    probe = PROBES["widening"]
    rows = _replay(probe)
    rows[3, 0] ^= 1
    assert _differences(probe, rows) == [f"{probe.rows[3]} first at 0"]


def test_unknown_probes_are_refused() -> None:
    with pytest.raises(MeasureError, match="lacks the probe nothing"):
        read_record("nothing")
