"""Launch shapes with the occupancy that the CUDA toolkit's own header calculates for them.

``python -m validation.cuda_occupancy TOOLKIT FILE`` compiles ``cuda_occupancy.cpp`` with the
header of a toolkit and writes what it answers for random launches on one device of each
architecture. The tests hold the simulator against that file; a toolkit is not needed for them.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from simulator.device import Device, device_names, load_device
from simulator.pages import run_script

SHAPES = 300  # of each architecture
COLUMNS = ("device", "threads", "registers", "shared_bytes", "barriers")
ANSWERS = (
    "blocks_per_sm",
    "limit_registers",
    "limit_warps",
    "limit_blocks",
    "limit_barriers",
    "shared_bytes_allocated",
)
Shape = tuple[int, int, int, int]  # threads, registers, shared bytes, barriers


def one_of_each_architecture() -> list[Device]:
    """The first device of every architecture by name."""
    found: dict[int, Device] = {}
    for device in map(load_device, device_names()):
        found.setdefault(device.architecture, device)
    return list(found.values())


def random_shapes(device: Device, rng: random.Random) -> list[Shape]:
    """Blocks of all sizes; some of them no SM holds."""
    return [
        (
            rng.choice([rng.randint(1, 1024), 32 * rng.randint(1, 32)]),
            rng.choice([rng.randint(16, 255), rng.randint(16, 64)]),
            rng.choice(
                [0, rng.randint(0, 8192), rng.randint(0, device.shared_bytes_per_block_optin)]
            ),
            rng.choice([0, 1, 1, rng.randint(2, 16)]),
        )
        for _ in range(SHAPES)
    ]


def ask(program: Path, device: Device, shapes: Sequence[Shape]) -> list[list[int]]:
    """The header's answers, a row of ``ANSWERS`` for each shape."""
    limits = (
        *divmod(device.architecture, 10),
        device.max_warps_per_sm,
        device.sm_count,
        device.shared_bytes_per_sm,
        device.shared_bytes_per_block_optin,
        device.reserved_shared_bytes_per_block,
    )
    lines = [" ".join(map(str, (*limits, *shape))) for shape in shapes]
    done = subprocess.run(
        [program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True
    )
    return [list(map(int, line.split())) for line in done.stdout.splitlines()]


def compile_program(toolkit: Path, folder: Path) -> Path:
    """The program that asks the header of a toolkit."""
    program = folder / "cuda_occupancy"
    source = Path(__file__).with_suffix(".cpp")
    include = f"-I{toolkit / 'include'}"
    subprocess.run(["g++", "-O1", include, str(source), "-o", str(program)], check=True)
    return program


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("toolkit", type=Path)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    rng = random.Random(0)
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        program = compile_program(options.toolkit, Path(folder))
        for device in one_of_each_architecture():
            shapes = random_shapes(device, rng)
            answers = ask(program, device, shapes)
            for shape, answer in zip(shapes, answers, strict=True):
                rows.append([device.name, *shape, *answer])
    source = f"cuda_occupancy.h of {options.toolkit.name}"
    content = {"source": source, "columns": [*COLUMNS, *ANSWERS], "rows": rows}
    options.file.write_bytes(lzma.compress(json.dumps(content).encode()))


if __name__ == "__main__":
    run_script(main)
