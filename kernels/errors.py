"""What the catalogue raises when a caller asks for something it cannot give."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class UnknownKernelError(LookupError):
    """A kernel name the catalogue does not have; lists near names, or all of them."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = get_close_matches(name, names, n=3)
        hint = f"did you mean {', '.join(close)}?" if close else f"known: {', '.join(names)}"
        super().__init__(f"unknown kernel {name!r}; {hint}")
        self.name = name


class SizeError(ValueError):
    """A problem size a kernel cannot run; ``dimension`` names the offending one."""

    def __init__(self, dimension: str, message: str) -> None:
        super().__init__(message)
        self.dimension = dimension
