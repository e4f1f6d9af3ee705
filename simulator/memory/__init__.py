"""How many: wavefronts, sectors and tags of memory requests, by rules measured on hardware.

``count`` counts one request, ``counters`` a launch from its events, ``explain`` puts a request in
words. The rules stand by subject in ``shared``, ``atomics``, ``matrix``, ``async_copy``,
``bypass_copy``, ``global_memory`` and ``local``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.memory.count import count_global, count_shared

__all__ = ["count_global", "count_shared"]


def __getattr__(name: str) -> Any:
    """Import on first use: numba is slow to load."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from simulator.memory import count

    return getattr(count, name)
