"""What a launch left in memory, set beside what it should have left."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from kernels.workload import Array


@dataclass(frozen=True, slots=True)
class OutputCheck:
    """One buffer after the launch.

    ``sha256`` is of its bytes, so that a replay can be held to the very bits. ``matches`` and the
    largest absolute error are None where the problem names no expected content.
    """

    argument: int
    sha256: str
    matches: bool | None = None
    max_error: float | None = None


def digest(array: Array) -> str:
    """SHA-256 of an array's bytes in C order."""
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def check_output(
    argument: int, measured: Array, expected: Array | None, rtol: float, atol: float
) -> OutputCheck:
    """Compare a buffer with what it must hold: integers exactly, floats within tolerance.

    NaN equals NaN at the same place, and nothing else.
    """
    if expected is None:
        return OutputCheck(argument, digest(measured))
    wanted = np.asarray(expected).reshape(measured.shape)
    exact = not np.issubdtype(measured.dtype, np.inexact)
    same = (
        bool(np.array_equal(measured, wanted))
        if exact
        else bool(np.allclose(measured, wanted, rtol=rtol, atol=atol, equal_nan=True))
    )
    return OutputCheck(argument, digest(measured), same, _max_error(measured, wanted))


def _max_error(measured: Array, wanted: Array) -> float:
    if not measured.size:
        return 0.0
    with np.errstate(invalid="ignore"):
        error = np.abs(measured.astype(np.float64) - wanted.astype(np.float64))
    finite = error[np.isfinite(error)]
    return float(finite.max()) if finite.size else 0.0
