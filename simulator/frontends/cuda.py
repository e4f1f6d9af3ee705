"""CUDA C++ device code to a Kernel, through NVRTC."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from simulator.errors import InputError
from simulator.frontends.build import build_kernel
from simulator.frontends.entry import find_entry, plain_name
from simulator.frontends.sources import decode_source, with_source_texts
from simulator.isa.kernel import Kernel
from simulator.toolchain.elf import read_cubin
from simulator.toolchain.nvrtc import Compilation, Request, compile_source
from simulator.toolchain.ptxas_log import read_resources

DEFAULT_DEVICE = "rtx4090"
DEFAULT_NAME = "kernel.cu"
_SUFFIXES = (".cu", ".cuh", ".cpp", ".h", ".hpp")


def compile_cuda(
    source: str | Path,
    entry: str | None = None,
    device: str | int = DEFAULT_DEVICE,
    options: Sequence[str] = (),
    *,
    name: str = DEFAULT_NAME,
) -> Kernel:
    """Compile CUDA C++ device code and load one kernel of it.

    Args:
        source: the text, or the path of a ``.cu`` file (a :class:`Path`, or a one-line string that
            ends like a source file).
        entry: the kernel: an ``extern "C"`` or C++ name, or a template instance
            (``"kernel<128>"``); may be left out when the source has one kernel.
        device: a device name, or an architecture number (89 for sm_89).
        options: further NVRTC options such as ``-DN=4``, ``-I dir``, ``--use_fast_math``.
        name: what the text is called in source lines; a file goes by its path.

    Raises:
        CompileError: the source does not compile; carries NVRTC's log.
        UnknownNameError: no kernel, or no device, has this name.
        InputError: the file cannot be read, an option is not allowed, the entry is ambiguous.
        ToolchainError: a toolchain wheel is missing or broken.
    """
    check_text(source, options)
    path = _as_path(source)
    text = _read(path) if path else str(source)
    shown = str(path) if path else name
    request = Request(
        source=text,
        name=str(path.resolve()) if path else name,
        architecture=architecture_of(device),
        options=tuple(options),
        expression=entry if entry and "<" in entry else None,
        directory=path.resolve().parent if path else None,
    )
    made = compile_source(request)
    return _load(made, request, entry, shown)


def check_text(source: object, options: object) -> None:
    """Refuse what is no source, and options that are no list of texts.

    Raises:
        InputError: names which of the two it is.
    """
    if not isinstance(source, (str, Path)):
        raise InputError(
            f"the source is a {type(source).__name__}; give its text, or the path of a file"
        )
    if isinstance(options, str) or not isinstance(options, Sequence):
        raise InputError(
            f"the compiler options are {options!r}; give a list of them, as in ['-DN=4']"
        )


def _load(made: Compilation, request: Request, entry: str | None, shown: str) -> Kernel:
    image = read_cubin(made.cubin, shown)
    _refuse_bare_template(image.entries, entry, request.source)
    symbol = made.lowered or find_entry(image.entries, entry, shown)
    kernel = build_kernel(
        made.cubin,
        image,
        symbol,
        compiler=made.version,
        resources=read_resources(made.log).get(symbol),
        names={request.name: shown},
        source_text={shown: request.source},
    )
    return with_source_texts(kernel)


def _refuse_bare_template(entries: Sequence[str], entry: str | None, source: str) -> None:
    """Say what is missing when the entry is a template that nothing instantiates."""
    if entry is None or entry in entries or not entry.isidentifier():
        return
    is_template = re.search(rf"template\s*<[^;{{}}]*__global__[^;{{}}(]*\b{entry}\s*\(", source)
    if is_template and not any(plain_name(e).split("::")[-1] == entry for e in entries):
        raise InputError(
            f"the entry {entry} is a template that the source never instantiates; name an "
            f'instance with its arguments, as in "{entry}<128>"'
        )


def _as_path(source: str | Path) -> Path | None:
    """The path that a source argument means; None for CUDA text."""
    if isinstance(source, Path):
        return source
    is_name = "\n" not in source and source.rstrip().endswith(_SUFFIXES)
    return Path(source.strip()) if is_name else None


def _read(path: Path) -> str:
    try:
        return decode_source(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"cannot read the source {path}: {error.strerror}; check the path"
        ) from error


def architecture_of(device: str | int) -> int:
    """The architecture number of a device name, or the number itself."""
    if isinstance(device, int):
        return device
    from simulator.device import load_device

    return int(load_device(device).architecture)
