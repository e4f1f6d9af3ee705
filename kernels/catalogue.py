"""All kernels by name."""

from __future__ import annotations

from functools import cache

from kernels import (
    gemm,
    histogram,
    reduction,
    rows,
    scan,
    sorting,
    sparse,
    stencil,
    streaming,
    tensor,
    transpose,
)
from kernels.errors import UnknownKernelError
from kernels.workload import Workload

FAMILIES = (
    gemm,
    tensor,
    transpose,
    reduction,
    scan,
    sorting,
    histogram,
    rows,
    stencil,
    sparse,
    streaming,
)


@cache
def workloads() -> tuple[Workload, ...]:
    """Every catalogue kernel, family by family."""
    return tuple(workload for family in FAMILIES for workload in family.WORKLOADS)


@cache
def _by_name() -> dict[str, Workload]:
    return {name: item for item in workloads() for name in (item.name, *item.aliases)}


def load_workload(name: str) -> Workload:
    """The kernel with this name or alias; UnknownKernelError lists near ones otherwise."""
    known = _by_name()
    if name not in known:
        raise UnknownKernelError(name, known)
    return known[name]
