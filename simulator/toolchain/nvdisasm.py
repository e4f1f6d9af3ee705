"""nvdisasm as a function: cubin bytes in, its JSON out, cached."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from simulator.errors import CubinError, ToolchainError
from simulator.toolchain.cache import cache_key, read_entry, write_entry
from simulator.toolchain.wheels import NVDISASM_WHEEL, wheel_program, wheel_version

_TIMEOUT_SECONDS = 300


def disassemble(cubin: bytes) -> list[Any]:
    """Disassemble a cubin with source lines.

    Returns nvdisasm's JSON document: ``[header, [function, ...], {"directories", "files"}]``,
    the last element only where the cubin has line information.

    Raises:
        CubinError: nvdisasm cannot read the bytes.
        ToolchainError: the nvdisasm wheel is missing or does not run.
    """
    key = cache_key("nvdisasm -json -g", wheel_version(NVDISASM_WHEEL), cubin)
    text = read_entry("disassembly", key)
    if text is None:
        text = run_nvdisasm(cubin, "-json", "-g")
        write_entry("disassembly", key, text)
    return _parse(text)


def run_nvdisasm(cubin: bytes, *options: str) -> bytes:
    """What nvdisasm prints for a cubin; errors as for :func:`disassemble`."""
    program = wheel_program(NVDISASM_WHEEL, "nvdisasm")
    with tempfile.TemporaryDirectory(prefix="smreplay-") as directory:
        path = Path(directory) / "kernel.cubin"
        path.write_bytes(cubin)
        try:
            done = subprocess.run(
                [program, *options, path],
                capture_output=True,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolchainError(f"cannot run {program}: {error}") from error
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace").replace(str(path), "it").strip()
        raise CubinError(
            f"nvdisasm cannot read this cubin ({reason or f'exit code {done.returncode}'}); "
            "build it again with a CUDA toolkit no newer than the nvdisasm wheel "
            f"({wheel_version(NVDISASM_WHEEL)})"
        )
    return done.stdout


def _parse(text: bytes) -> list[Any]:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise ToolchainError(
            f"nvdisasm {wheel_version(NVDISASM_WHEEL)} printed text that is not JSON ({error}); "
            f"reinstall the wheel {NVDISASM_WHEEL}"
        ) from error
    if not isinstance(document, list) or len(document) < 2:
        raise ToolchainError(
            f"nvdisasm {wheel_version(NVDISASM_WHEEL)} printed JSON of an unknown shape; "
            f"install {NVDISASM_WHEEL}>=13.3,<14"
        )
    return document
