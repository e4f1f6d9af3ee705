"""What is launched: a kernel's source with everything needed to run it and to check it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.errors import SizeError

Array = NDArray[Any]
Argument = np.generic | Array
Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Launch:
    """Grid and block dimensions and dynamic shared bytes of one launch."""

    grid: Dim3
    block: Dim3
    shared_bytes: int = 0


@dataclass(frozen=True)
class Problem:
    """One launch made concrete: arguments in parameter order and what must come out.

    ``expected`` maps the position of an output argument to the array it must hold afterwards,
    within ``rtol``/``atol`` (exact equality for integers).
    """

    launch: Launch
    arguments: tuple[Argument, ...]
    expected: Mapping[int, Array]
    rtol: float = 1e-5
    atol: float = 1e-5


@dataclass(frozen=True)
class Workload:
    """A catalogue kernel.

    ``sizes`` names the problem dimensions with their defaults (``{"m": 1024, ...}``);
    ``make`` builds a Problem from such a mapping and a seed. ``test_sizes`` are small problems
    (a regular and, where the kernel allows, a ragged one) that tests and hardware records use.
    ``scaled`` names the dimensions that a single given number sets.
    """

    name: str
    title: str
    shows: str
    source_file: str
    entry: str
    sizes: Mapping[str, int]
    make: Callable[[Mapping[str, int], int], Problem] = field(repr=False)
    test_sizes: tuple[Mapping[str, int], ...]
    scaled: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The CUDA C++ text."""
        return (files("kernels") / "sources" / self.source_file).read_text(encoding="utf-8")

    def with_sizes(self, size: int | Mapping[str, int] | None = None) -> dict[str, int]:
        """All problem dimensions: the defaults, changed by a number or by named sizes.

        Raises SizeError for a dimension this kernel does not have.
        """
        if size is None:
            return dict(self.sizes)
        given = size if isinstance(size, Mapping) else dict.fromkeys(self.scaled, size)
        for name in given:
            if name not in self.sizes:
                known = ", ".join(self.sizes)
                raise SizeError(name, f"{self.name} has no size {name!r}; it takes {known}")
        return {**self.sizes, **given}

    def problem(self, size: int | Mapping[str, int] | None = None, seed: int = 0) -> Problem:
        """A concrete launch; a single number sets the dimensions named by ``scaled``.

        Raises SizeError for a size the kernel cannot run.
        """
        return self.make(self.with_sizes(size), seed)
