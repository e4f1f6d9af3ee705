"""Compiles the probes for a GPU: ``python -m validation.microbench.build FOLDER --device h200``."""

from __future__ import annotations

import argparse
from pathlib import Path

from simulator.frontends.cuda import compile_cuda
from simulator.pages import run_script

# A file's name and any kernel in it.
SOURCES = {
    "probes": "nothing",
    "operands": "unit_rcp",
    "ladder": "off_lds",
    "tensor": "mma_f16_1",
    "chip": "empty",
    "flow": "skip",
    "start": "first",
    "policy": "policy_ffma",
    "returns": "ret_lds_1_1",
    "steps": "meet",
    "units": "unit_ldc",
    "beside": "beside_w1_2",
    "mixes": "tile_11_0",
}
HERE = Path(__file__).parent


def build_probes(folder: Path, device: str) -> list[Path]:
    """Write one cubin a source file; returns their paths.

    Raises:
        CompileError: from the compiler.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, entry in SOURCES.items():
        kernel = compile_cuda(HERE / f"{name}.cu", entry, device)
        path = folder / f"{name}.cubin"
        path.write_bytes(kernel.cubin)
        written.append(path)
    return written


def main() -> None:
    """Compile and print the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="h200")
    options = parser.parse_args()
    for path in build_probes(options.folder, options.device):
        print(path)


if __name__ == "__main__":
    run_script(main)
