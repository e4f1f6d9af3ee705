"""From what was simulated of a launch to counts of all of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.memory.caches.state import TOTALS

Ints = NDArray[np.int64]

_STORED = frozenset({"store", "write", "atomic", "fill"})


@dataclass(frozen=True)
class Parts:
    """Which part of a launch's requests its streams hold: of loads, and of stores and atomics."""

    loads: float = 1.0
    stores: float = 1.0

    def of(self, counter: str) -> float:
        """The part that a counter has seen."""
        return self.stores if _is_stored(counter) else self.loads


def _is_stored(counter: str) -> bool:
    """Whether a counter has to do with stores or atomics."""
    return not _STORED.isdisjoint(counter.split("_"))


def scale(
    totals: Ints, halfway: Ints, share: float, parts: Parts, mapped: bool
) -> dict[str, float]:
    """Totals of the whole launch: those of a share of its blocks, scaled; where L2 is too small for
    all they touch, the later ones go on as the later half of the blocks that were simulated."""
    ended = dict(zip(TOTALS, totals.tolist(), strict=True))
    later = dict(zip(TOTALS, (totals - halfway).tolist(), strict=True))
    found = {}
    for name, count in ended.items():
        asked = "store_sectors" if _is_stored(name) else "load_sectors"
        more = count * (1 / share - 1)
        if not mapped and later[asked]:
            more = later[name] * ended[asked] / later[asked] * (1 / share - 1)
        found[name] = (count + more) / parts.of(name)
    return found | {"cycles": float(ended["cycles"])}
