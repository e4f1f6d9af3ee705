"""Whether the simulator's inner loops are compiled yet: the very first replay compiles them.

Numba keeps what it compiled beside the sources (or under ``NUMBA_CACHE_DIR``) and compiles again
when a source is newer.
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


def _newest(root: Path, pattern: str) -> float:
    """Time of the newest file of that pattern; 0 when there is none."""
    return max((path.stat().st_mtime for path in root.rglob(pattern)), default=0.0)


def is_compiled(package: Path = PACKAGE, cache: Path | None = None) -> bool:
    """Whether every package with compiled code has a cache that is newer than its sources.

    ``cache`` is numba's cache folder, by default that of the environment, else beside the sources.
    """
    if cache is None and os.environ.get("NUMBA_CACHE_DIR"):
        cache = Path(os.environ["NUMBA_CACHE_DIR"])
    for name in COMPILED:
        compiled = _newest(cache or package / name, "*.nbi")
        if compiled < _newest(package / name, "*.py") or not compiled:
            return False
    return True
