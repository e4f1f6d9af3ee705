"""PTX text to a Kernel, through nvJitLink."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simulator.errors import InputError
from simulator.frontends.build import build_kernel
from simulator.frontends.cuda import DEFAULT_DEVICE, architecture_of, check_text
from simulator.frontends.entry import find_entry
from simulator.frontends.sources import decode_source, with_source_texts
from simulator.isa.kernel import Kernel
from simulator.toolchain.elf import read_cubin
from simulator.toolchain.nvjitlink import assemble_ptx
from simulator.toolchain.ptxas_log import read_resources

DEFAULT_NAME = "kernel.ptx"


def compile_ptx(
    source: str | Path,
    entry: str | None = None,
    device: str | int = DEFAULT_DEVICE,
    options: Sequence[str] = (),
    *,
    name: str = DEFAULT_NAME,
) -> Kernel:
    """Assemble PTX and load one kernel of it.

    Args:
        source: the text, or the path of a ``.ptx`` file (a :class:`Path`, or a one-line string).
        entry: the kernel's name; may be left out when there is one.
        device: a device name, or an architecture number (89 for sm_89), no older than the PTX's
            own ``.target``.
        options: further nvJitLink options such as ``-maxrregcount=64``.
        name: what the text is called in messages; a file goes by its path.

    Raises:
        CompileError: the PTX does not assemble; carries the log.
        UnknownNameError: no kernel, or no device, has this name.
        InputError: the file cannot be read, an option is not allowed, the entry is ambiguous.
        ToolchainError: the wheel nvidia-nvjitlink is missing or broken.
    """
    check_text(source, options)
    if isinstance(source, Path) or (source.strip() and "\n" not in source):
        name, text = str(source), _read(Path(source))
    else:
        text = source
    made = assemble_ptx(text.encode(), name, architecture_of(device), options)
    image = read_cubin(made.cubin, name)
    symbol = find_entry(image.entries, entry, name)
    resources = read_resources(made.log).get(symbol)
    kernel = build_kernel(made.cubin, image, symbol, compiler=made.version, resources=resources)
    return with_source_texts(kernel)


def _read(path: Path) -> str:
    try:
        return decode_source(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read the PTX {path}: {error.strerror}; check the path") from error
