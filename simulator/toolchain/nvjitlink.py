"""nvJitLink as a function: PTX in, cubin and log out, cached by content.

The wheel is large and only PTX needs it, so it is an optional dependency (``smreplay[ptx]``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simulator.errors import ArgumentError, CompileError, ToolchainError
from simulator.toolchain.cache import cache_key, read_entry, write_entry
from simulator.toolchain.wheels import NVJITLINK_WHEEL, wheel_directory, wheel_version

_OWN_OPTIONS = ("-arch", "-lto", "-ptx")
_LENGTH_BYTES = 4


@dataclass(frozen=True, slots=True)
class Assembly:
    """What nvJitLink made: the cubin, and its log with ptxas' resource lines."""

    cubin: bytes = field(repr=False)
    log: str
    version: str


def assemble_ptx(ptx: bytes, name: str, architecture: int, options: Sequence[str] = ()) -> Assembly:
    """Assemble PTX to a cubin for a real architecture.

    Raises:
        CompileError: the PTX does not assemble; carries the log.
        ArgumentError: an option that this function sets itself.
        ToolchainError: the wheel is missing, or not the library that got loaded.
    """
    for option in options:
        if option.startswith(_OWN_OPTIONS):
            raise ArgumentError(
                f"assembler option {option!r} is set by the simulator; drop it and choose the "
                "architecture with the device"
            )
    version = wheel_version(NVJITLINK_WHEEL)
    given = [f"-arch=sm_{architecture}", "-lineinfo", "-verbose", *options]
    key = cache_key(version, json.dumps(given), ptx)
    stored = read_entry("ptx", key)
    if stored is None:
        stored = _pack(*_assemble(ptx, name, given))
        write_entry("ptx", key, stored)
    cubin, log = _unpack(stored)
    return Assembly(cubin, log, f"nvJitLink {version}")


def _pack(cubin: bytes, log: str) -> bytes:
    text = log.encode()
    return len(text).to_bytes(_LENGTH_BYTES, "little") + text + cubin


def _unpack(data: bytes) -> tuple[bytes, str]:
    end = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    return data[end:], data[_LENGTH_BYTES:end].decode()


def _assemble(ptx: bytes, name: str, options: list[str]) -> tuple[bytes, str]:
    linker = _load()
    try:
        handle = linker.create(len(options), options)
    except linker.nvJitLinkError as error:
        raise ArgumentError(
            f"nvJitLink does not know one of the options {' '.join(options)} ({error}); it takes "
            "its own names, such as -maxrregcount=64 or -O3"
        ) from None
    text = ptx.rstrip(b"\0") + b"\0"
    try:
        linker.add_data(handle, linker.InputType.PTX, text, len(text), name)
        linker.complete(handle)
    except linker.nvJitLinkError:
        log = _read(handle, linker.get_error_log_size, linker.get_error_log)
        raise CompileError(f"{name} does not assemble for {options[0][6:]}", log) from None
    else:
        cubin = bytearray(linker.get_linked_cubin_size(handle))
        linker.get_linked_cubin(handle, cubin)
        return bytes(cubin), _read(handle, linker.get_info_log_size, linker.get_info_log)
    finally:
        linker.destroy(handle)


def _read(handle: Any, size_of: Any, read: Any) -> str:
    buffer = bytearray(size_of(handle))
    if buffer:
        read(handle, buffer)
    return bytes(buffer).rstrip(b"\0").decode(errors="replace")


def _load() -> Any:
    """The bindings, after a check that the library comes from the wheel."""
    from cuda.bindings import nvjitlink
    from cuda.pathfinder import load_nvidia_dynamic_lib

    path = Path(str(load_nvidia_dynamic_lib("nvJitLink").abs_path)).resolve()
    if not path.is_relative_to(wheel_directory(NVJITLINK_WHEEL)):
        raise ToolchainError(
            f"nvJitLink was loaded from {path}, not from the wheel {NVJITLINK_WHEEL}; "
            "start Python without that library on its search path"
        )
    return nvjitlink
