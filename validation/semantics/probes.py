"""All probes: a kernel, its launch, its operands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.workload import Launch, Problem
from simulator.frontends.cubin import load_cubin
from simulator.frontends.cuda import compile_cuda
from simulator.isa.kernel import Kernel

from .families import FAMILIES, Family
from .operands import operands
from .patch import without_calls
from .source import family_source
from .sources import DIVIDE, MASKS, PRODUCTS, atomics_source, lanes_source, product_source

ARCHITECTURE = 90
COUNT = 8192  # elements of an operand
THREADS = 128
SEED = 2026


@dataclass(frozen=True)
class Probe:
    """``rows`` names the results: the output array is [row][element].

    ``bounded`` results are compared within the documented error, all others bit for bit.
    """

    name: str
    source: str
    entry: str
    rows: tuple[str, ...]
    arguments: Callable[[], tuple[Any, ...]]
    output: int
    bounded: bool = False
    patched: bool = False

    def kernel(self) -> Kernel:
        """The probe compiled (and patched where it is a patched one)."""
        kernel = compile_cuda(self.source, self.entry, ARCHITECTURE, name=f"{self.name}.cu")
        return load_cubin(without_calls(kernel), self.entry) if self.patched else kernel

    def problem(self) -> Problem:
        """Launch and arguments."""
        arguments = self.arguments()
        count = arguments[0].size if self.patched else COUNT
        launch = Launch((count // THREADS, 1, 1), (THREADS, 1, 1))
        return Problem(launch=launch, arguments=arguments, expected={})


def _with_output(arrays: tuple[Any, ...], rows: int, dtype: Any) -> tuple[Any, ...]:
    return (*arrays, np.zeros(rows * COUNT, dtype), np.int32(COUNT))


def _family_probe(family: Family) -> Probe:
    rows = tuple(family.operations)
    dtype = np.uint64 if family.target == "l" else np.uint32

    def arguments() -> tuple[Any, ...]:
        return _with_output(operands(family.inputs, COUNT, SEED), len(rows), dtype)

    return Probe(
        family.name, family_source(family), family.name, rows, arguments, 3, family.bounded
    )


def _divide_arguments() -> tuple[Any, ...]:
    """Every pair of exponents, with random fractions and with none."""
    generator = np.random.default_rng(SEED)
    pairs = np.arange(1 << 16, dtype=np.uint32)
    found = []
    for exponent in (pairs >> 8, pairs & 0xFF):
        random = generator.integers(0, 1 << 23, pairs.size, dtype=np.uint32)
        signs = generator.integers(0, 2, pairs.size, dtype=np.uint32) << np.uint32(31)
        parts = [exponent << np.uint32(23) | f | signs for f in (random, np.uint32(0))]
        found.append(np.concatenate(parts).view(np.float32))
    return (*found, np.zeros(2 << 16, np.float32))


def _numbered(prefix: str, count: int) -> tuple[str, ...]:
    return tuple(f"{prefix} {n}" for n in range(count))


def _lanes_probe() -> Probe:
    source, count = lanes_source()

    def arguments() -> tuple[Any, ...]:
        return _with_output(operands("int32", COUNT, SEED + 1), count, np.uint32)

    return Probe("lanes", source, "lanes", _numbered("result", count), arguments, 3)


def _masks_probe() -> Probe:
    def arguments() -> tuple[Any, ...]:
        values = list(operands("int32", COUNT, SEED + 3))
        values[0][: COUNT // 2] |= np.uint32(2)  # where all of a tile agree, too
        return _with_output(tuple(values), 7, np.uint32)

    return Probe("masks", MASKS, "masks", _numbered("result", 7), arguments, 3)


def _atomics_probe(wide: bool) -> Probe:
    source, count = atomics_source(wide)
    name = "atomics64" if wide else "atomics32"

    def arguments() -> tuple[Any, ...]:
        values = operands("float64" if wide else "float16", COUNT, SEED + 2)
        return _with_output(values, count, np.uint64 if wide else np.uint32)

    return Probe(name, source, name, _numbered("atomic", count), arguments, 3)


def _spread(generator: np.random.Generator, kind: str, registers: int) -> NDArray[np.uint32]:
    """Registers [register][thread] of finite numbers whose spread grows from warp to warp."""
    shape = (registers, 2, COUNT)
    warp = np.arange(COUNT) // 32
    scale = np.array([0.0, 1.0, 3.0, 8.0])[warp % 4]
    values = generator.normal(size=shape) * np.exp2(np.rint(generator.normal(size=shape) * scale))
    values[generator.random(shape) < 0.05] = 0.0
    # A few warps with infinities, NaNs, and numbers near the limits of the formats.
    odd = (warp % 16 == 15) & (generator.random(shape) < 0.03)
    limits = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 3e-8, 65504.0, 1e-40, 2.0**-126])
    values[odd] = generator.choice(limits, int(odd.sum()))
    if kind in ("f32", "tf32"):
        kept = np.uint32(0xFFFFFFFF if kind == "f32" else 0xFFFFE000)
        return np.asarray(values[:, 0].astype(np.float32).view(np.uint32) & kept)
    if kind == "bf16":
        bits = values.astype(np.float32).view(np.uint32) >> np.uint32(16)
    else:
        limited = np.where(np.isfinite(values), np.clip(values, -65504, 65504), values)
        bits = limited.astype(np.float16).view(np.uint16).astype(np.uint32)
    return np.asarray(bits[:, 0] | bits[:, 1] << np.uint32(16))


def _product_probe(name: str) -> Probe:
    _, a, b, c, letter = PRODUCTS[name]
    integer = name in ("s8", "u8sat")
    kind = {"bf16": "bf16", "tf32": "tf32"}.get(name, "f16")

    def arguments() -> tuple[Any, ...]:
        generator = np.random.default_rng([SEED, *name.encode()])
        if letter == "d":
            doubles = [generator.normal(size=n * COUNT) for n in (a, b, c)]
            return _with_output(tuple(doubles), c, np.float64)
        if integer:
            arrays = [generator.integers(0, 1 << 32, n * COUNT, dtype=np.uint32) for n in (a, b, c)]
        else:
            arrays = [_spread(generator, kind, n).ravel() for n in (a, b)]
            arrays.append(_spread(generator, "f32" if letter == "f" else "f16", c).ravel())
        dtype = np.float32 if letter == "f" else np.uint32
        return _with_output((*arrays[:2], arrays[2].view(dtype)), c, dtype)

    title = f"product_{name}"
    return Probe(title, product_source(name), "product", _numbered("register", c), arguments, 3)


def probes() -> tuple[Probe, ...]:
    """Every probe."""
    return (
        *(_family_probe(f) for f in FAMILIES),
        Probe("divide", DIVIDE, "divide", ("slow path",), _divide_arguments, 2, patched=True),
        _lanes_probe(),
        _masks_probe(),
        _atomics_probe(False),
        _atomics_probe(True),
        *(_product_probe(name) for name in PRODUCTS),
    )
