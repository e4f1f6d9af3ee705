"""Is a launch refused exactly where CUDA refuses it?"""

from __future__ import annotations

import pytest

from simulator.device import load_device
from simulator.device.limits import check_code, check_launch, registers_per_block
from simulator.errors import ArgumentError

ADA = load_device("rtx4090")
ONE = (1, 1, 1)


@pytest.mark.parametrize(
    ("grid", "block", "shared_bytes", "registers"),
    [
        (((1 << 31) - 1, 65535, 65535), ONE, 0, 255),
        (ONE, (1024, 1, 1), 0, 64),
        (ONE, (1, 1024, 1), 0, 64),
        (ONE, (16, 1, 64), 0, 64),
        (ONE, ONE, 101376, 32),
        (ONE, (256, 1, 1), 0, 255),
    ],
)
def test_allowed(
    grid: tuple[int, int, int], block: tuple[int, int, int], shared_bytes: int, registers: int
) -> None:
    check_launch(ADA, grid, block, shared_bytes, registers)


@pytest.mark.parametrize(
    ("grid", "block", "shared_bytes", "registers", "message"),
    [
        ((1 << 31, 1, 1), ONE, 0, 0, "grid.x is 2,147,483,648"),
        ((1, 65536, 1), ONE, 0, 0, "grid.y is 65,536"),
        ((0, 1, 1), ONE, 0, 0, "grid.x is 0"),
        (ONE, (1, 1, 65), 0, 0, "block.z is 65"),
        (ONE, (1025, 1, 1), 0, 0, "block.x is 1,025"),
        (ONE, (32, 33, 1), 0, 0, "1,056 threads"),
        (ONE, ONE, 101377, 0, "101,377 bytes of shared memory"),
        (ONE, ONE, -1, 0, "-1 bytes"),
        (ONE, (1024, 1, 1), 0, 65, "takes 73,728 registers"),
    ],
)
def test_refused(
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    shared_bytes: int,
    registers: int,
    message: str,
) -> None:
    with pytest.raises(ArgumentError, match=message):
        check_launch(ADA, grid, block, shared_bytes, registers)


def test_registers_come_in_units_and_warps_in_groups() -> None:
    assert registers_per_block(ADA, 33, 32) == 4 * 1280
    assert registers_per_block(ADA, 32, 160) == 8 * 1024


@pytest.mark.parametrize(
    ("device", "code", "runs"),
    [
        ("rtx4090", 89, True),
        ("rtx4090", 80, True),
        ("rtx4090", 86, True),
        ("a100", 89, False),
        ("rtx3090", 89, False),
        ("h200", 89, False),
        ("rtx4090", 90, False),
        ("rtx5090", 100, False),
        ("b200", 100, True),
    ],
)
def test_machine_code_runs_on_later_minor_versions_only(device: str, code: int, runs: bool) -> None:
    if runs:
        check_code(load_device(device), code)
    else:
        with pytest.raises(ArgumentError, match=f"machine code for sm_{code}"):
            check_code(load_device(device), code)
