"""How far a number can be trusted."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Status(str, Enum):
    """How far a number can be trusted."""

    EXACT = "exact"
    BOUNDED = "bounded"
    UNMODELLED = "unmodelled"


def weakest(statuses: Iterable[Status]) -> Status:
    """The one that promises least; exact when there is none."""
    return max(statuses, key=list(Status).index, default=Status.EXACT)
