"""A cubin that the user has already: from nvcc, NVRTC, Triton or a library."""

from __future__ import annotations

from pathlib import Path

from simulator.errors import InputError
from simulator.frontends.build import build_kernel
from simulator.frontends.entry import find_entry
from simulator.frontends.sources import with_source_texts
from simulator.isa.kernel import Kernel
from simulator.toolchain.elf import read_cubin


def load_cubin(cubin: str | Path | bytes, entry: str | None = None) -> Kernel:
    """Load one kernel of a cubin.

    ``entry`` may be left out when the cubin has a single kernel. Registers and spills come from the
    ELF (spills are None where an older compiler does not note them). Source texts are read when
    the line table names files that are here and no newer than the cubin.

    Raises:
        CubinError: the file is no linked cubin; the message says what it is.
        InputError: the file cannot be read, or the entry is ambiguous.
        UnknownNameError: no kernel has this name.
    """
    if isinstance(cubin, bytes):
        return _load(cubin, "the cubin", entry)
    data, built = _read(Path(cubin))
    return with_source_texts(_load(data, str(cubin), entry), newest=built)


def _load(data: bytes, what: str, entry: str | None) -> Kernel:
    image = read_cubin(data, what)
    return build_kernel(data, image, find_entry(image.entries, entry, what))


def _read(path: Path) -> tuple[bytes, float]:
    """The bytes of a file and its modification time."""
    try:
        return path.read_bytes(), path.stat().st_mtime
    except OSError as error:
        raise InputError(
            f"cannot read the cubin {path}: {error.strerror}; check the path"
        ) from error
