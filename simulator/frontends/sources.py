"""Texts of the source files that a kernel's line table names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from simulator.isa.kernel import Kernel
from simulator.toolchain.headers import is_bundled


def decode_source(data: bytes) -> str:
    """The text of a source file: UTF-8, or else Latin-1, in which every byte is a letter; lines
    end as on Linux."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def with_source_texts(kernel: Kernel, newest: float | None = None) -> Kernel:
    """The kernel with the texts of its source files, as far as they can be read here.

    NVRTC's own headers are left out. ``newest`` is the modification time (seconds) of what was
    built from the files: a file changed later may be another text, and is left out too.
    """
    named = {i.source.file for i in kernel.instructions if i.source is not None}
    texts = dict(kernel.source_text)
    for name in sorted(named - texts.keys()):
        text = None if is_bundled(Path(name)) else _read(Path(name), newest)
        if text is not None:
            texts[name] = text
    return replace(kernel, source_text=texts)


def _read(path: Path, newest: float | None) -> str | None:
    try:
        if newest is not None and path.stat().st_mtime > newest:
            return None
        return decode_source(path.read_bytes())
    except (OSError, ValueError):
        return None
