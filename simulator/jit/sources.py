"""What a compiled function's machine code depends on: its module and all that this one imports."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from simulator.toolchain.cache import cache_key

_PACKAGE = Path(__file__).parent.parent
# Imports at the top of a module, as they are written here; compiled code uses no others.
_IMPORT = re.compile(rb"^from (simulator[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@cache
def digest(module: str) -> str:
    """SHA-256 of the sources of a loaded module and of all it imports of this package."""
    start = Path(str(sys.modules[module].__file__))
    found = {start: start.read_bytes()}
    waiting = [start]
    while waiting:
        for path in _imports(found[waiting.pop()]):
            if path not in found:
                found[path] = path.read_bytes()
                waiting.append(path)
    return cache_key(*(found[path] for path in sorted(found)))


def _imports(text: bytes) -> Iterator[Path]:
    for module, names in _IMPORT.findall(text):
        yield from _files(module.decode())
        for name in re.findall(rb"\w+", names):
            yield from _files(f"{module.decode()}.{name.decode()}")


@cache
def _files(module: str) -> tuple[Path, ...]:
    """The file of a module or package, if there is one of this name."""
    place = _PACKAGE.joinpath(*module.split(".")[1:])
    files = (place.with_suffix(".py"), place / "__init__.py")
    return tuple(file for file in files if file.is_file())
