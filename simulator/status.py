"""How far a number can be trusted."""

from __future__ import annotations

from enum import Enum


class Status(str, Enum):
    """How far a number can be trusted."""

    EXACT = "exact"
    BOUNDED = "bounded"
    UNMODELLED = "unmodelled"
