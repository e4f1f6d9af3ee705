"""Launches too long to simulate whole."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from simulator.emulator.launch import Launch
from simulator.emulator.program import build_program
from simulator.launching import open_catalogue
from simulator.results import LaunchTime
from simulator.timing import trace
from simulator.timing.predict import predict_time

LAUNCHES: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("tiled_gemm", {"m": 1024, "n": 1536, "k": 128}),
    ("vectorized_gemm", {"m": 1024, "n": 768, "k": 256}),
    ("softmax", {"rows": 12000, "columns": 512}),
)


def timed(name: str, size: Mapping[str, int]) -> LaunchTime:
    target = open_catalogue(name, size, 0, "rtx4060ti")
    program, launch = build_program(target.kernel), target.launch
    return predict_time(
        Launch(program, launch.grid, launch.block, launch.shared_bytes, target.arguments),
        "rtx4060ti",
    )


@pytest.mark.parametrize(("name", "size"), LAUNCHES, ids=[name for name, _ in LAUNCHES])
def test_some_waves_stand_for_all(
    name: str, size: Mapping[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = timed(name, size)
    monkeypatch.setattr(trace, "MOST_WORK", 200_000)
    part = timed(name, size)
    assert whole.simulated == whole.blocks == part.blocks
    assert part.simulated < whole.simulated
    for found, expected in ((part.cold, whole.cold), (part.warm, whole.warm)):
        assert found.microseconds == pytest.approx(expected.microseconds, rel=0.08)
        assert found.issue_utilisation == pytest.approx(expected.issue_utilisation, rel=0.08)
        assert found.achieved_occupancy == pytest.approx(expected.achieved_occupancy, rel=0.08)
        assert found.busy == pytest.approx(expected.busy, rel=0.1, abs=0.02)
        assert found.stalls == pytest.approx(expected.stalls, rel=0.25, abs=0.6)


def test_many_lines_are_too_much_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "MOST_KEPT", 10_000)
    found = timed(*LAUNCHES[2])
    assert 3 * 6 <= found.simulated < found.blocks
    assert np.isfinite(found.cold.microseconds)
