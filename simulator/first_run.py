"""Whether the simulator's inner loops are compiled yet: the very first replay compiles them.

Numba keeps what it compiled beside the sources (or under ``NUMBA_CACHE_DIR``), in index files
named after the module, and compiles again when the module is newer.
"""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).parent
COMPILED = ("emulator", "memory")  # the packages with compiled code
MESSAGE = (
    "First run: compiling the simulator itself, which takes up to half a minute; "
    "later runs start at once."
)


def _cache_is_current(sources: Path, cache: Path) -> bool:
    """Whether something was compiled since the last change of a module with compiled code.

    Not every module on its own: a changed one that no replay has needed since stays old.
    """
    index_files = list(cache.rglob("*.nbi"))  # module.function-line.py311.nbi
    modules = {path.name.split(".")[0] for path in index_files}
    changes = [p.stat().st_mtime for p in sources.rglob("*.py") if p.stem in modules]
    compiled = max((path.stat().st_mtime for path in index_files), default=0.0)
    return bool(changes) and compiled >= max(changes)


def is_compiled(package: Path = PACKAGE) -> bool:
    """Whether every package with compiled code has a current cache."""
    common = os.environ.get("NUMBA_CACHE_DIR")
    return all(
        _cache_is_current(package / name, Path(common) if common else package / name)
        for name in COMPILED
    )
