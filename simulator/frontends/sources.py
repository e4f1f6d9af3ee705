"""Texts of the source files that a kernel's line table names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from simulator.isa.kernel import Kernel
from simulator.toolchain.headers import is_bundled


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
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return None
