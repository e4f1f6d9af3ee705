"""Whether the simulator's inner loops are compiled yet: the very first replay compiles them.

Numba keeps what it compiled beside the sources (or under ``NUMBA_CACHE_DIR``), in index files
named after the module, and compiles again when the module is newer.
"""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parent
COMPILED = ("emulator", "memory")  # the packages with compiled code
MESSAGE = (
    "First run: compiling the simulator itself, which takes up to half a minute; "
    "later runs start at once."
)


def _index_times(folder: Path) -> dict[str, float]:
    """Module name -> time of its newest index file (``module.function-line.py311.nbi``)."""
    times: dict[str, float] = defaultdict(float)
    for path in folder.rglob("*.nbi"):
        module = path.name.split(".")[0]
        times[module] = max(times[module], path.stat().st_mtime)
    return times


def is_compiled(package: Path = PACKAGE) -> bool:
    """Whether every package with compiled code has a cache, none of it older than its module."""
    for name in COMPILED:
        cache = os.environ.get("NUMBA_CACHE_DIR") or package / name
        times = _index_times(Path(cache))
        sources = {path.stem: path.stat().st_mtime for path in (package / name).rglob("*.py")}
        known = times.keys() & sources.keys()
        if not known or any(times[module] < sources[module] for module in known):
            return False
    return True
