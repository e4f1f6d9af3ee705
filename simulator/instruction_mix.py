"""What a run executed, as data: opcodes, pipes, active threads and floating-point operations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from simulator.results import Counter, Flops, InstructionRecord, Run, Status

# Floating-point operations of one thread. A multiply-add counts two, a packed pair two of each.
_SCALAR_FP32 = {"FADD": 1, "FMUL": 1, "FFMA": 2, "FADD32I": 1, "FMUL32I": 1, "FFMA32I": 2}
FP32_FLOPS = {**_SCALAR_FP32, "FADD2": 2, "FMUL2": 2, "FFMA2": 4}
FP64_FLOPS = {"DADD": 1, "DMUL": 1, "DFMA": 2}
FP16_FLOPS = {"HADD2": 2, "HMUL2": 2, "HFMA2": 4}
FLOAT_OPCODES = (*FP32_FLOPS, *FP64_FLOPS, *FP16_FLOPS)
_TENSOR = ("HMMA", "DMMA", "HGMMA")
TENSOR_OPCODES = (*_TENSOR, "IMMA", "BMMA", "QMMA", "OMMA", "IGMMA", "QGMMA", "BGMMA")
_WARPS_TOGETHER = {"HGMMA": 4}  # warps that make one matrix product
_SHAPES = {
    "884": (8, 8, 4),
    "1684": (16, 8, 4),
    "1688": (16, 8, 8),
    "16816": (16, 8, 16),
    "16832": (16, 8, 32),
}
_SHAPE = re.compile(r"(\d+)x(\d+)x(\d+)$")
_REGISTER = re.compile(r"\bU?R\d")
_ZERO = re.compile(r"\bRZ\b")
_PIPE = re.compile(r"pipe_(\w+)_instructions$")


@dataclass(frozen=True, slots=True)
class OpcodeCount:
    """Counts of all instructions of one opcode, modifiers aside."""

    opcode: str
    executed: int
    thread_executed: int
    predicated_on: int

    @property
    def active_threads(self) -> float:
        """Active lanes of a warp that executes it, on average; 0 when none did."""
        return self.thread_executed / self.executed if self.executed else 0.0


def run_status(run: Run) -> Status:
    """The status of what is exact when every block counts (``Sampling.status``)."""
    return run.sampling.status


def instruction_form(record: InstructionRecord) -> tuple[str, tuple[str, ...]]:
    """Opcode and modifiers from the SASS text, the guard left out."""
    return _form(record.sass, record.opcode)


@lru_cache(maxsize=1 << 16)  # pages ask many times for each
def _form(sass: str, opcode: str) -> tuple[str, tuple[str, ...]]:
    words = sass.replace(";", " ").split()
    form = next((word for word in words if not word.startswith("@")), opcode)
    first, *modifiers = form.split(".")
    return first, tuple(modifiers)


def sum_records(opcode: str, records: Iterable[InstructionRecord]) -> OpcodeCount:
    """The counts of some instructions together, under a name."""
    chosen = list(records)
    return OpcodeCount(
        opcode,
        sum(record.executed for record in chosen),
        sum(record.thread_executed for record in chosen),
        sum(record.thread_executed_predicated_on for record in chosen),
    )


def add_counts(opcode: str, counts: Sequence[OpcodeCount]) -> OpcodeCount:
    """Counts of several opcodes together, under a name."""
    return OpcodeCount(
        opcode,
        sum(count.executed for count in counts),
        sum(count.thread_executed for count in counts),
        sum(count.predicated_on for count in counts),
    )


def count_all(run: Run) -> OpcodeCount:
    """The whole launch."""
    return sum_records("total", run.instructions)


def count_opcodes(run: Run) -> tuple[OpcodeCount, ...]:
    """Executed opcodes, most executed first."""
    groups: dict[str, list[InstructionRecord]] = {}
    for record in run.instructions:
        if record.executed:
            groups.setdefault(instruction_form(record)[0], []).append(record)
    counts = [sum_records(opcode, records) for opcode, records in groups.items()]
    return tuple(sorted(counts, key=lambda count: (-count.executed, count.opcode)))


def count_pipes(run: Run) -> dict[str, Counter]:
    """Warp-instructions by pipe, busiest first; empty where the pipes are not known."""
    found = {}
    for name, counter in run.counters.items():
        if match := _PIPE.match(name):
            found[match.group(1)] = counter
    return dict(sorted(found.items(), key=lambda item: -item[1].value))


def count_flops(run: Run) -> Flops:
    """Floating-point operations of the launch, threads whose guard failed left out."""
    total = Flops(0, 0, 0, 0)
    for record in run.instructions:
        opcode, modifiers = instruction_form(record)
        threads, warps = record.thread_executed_predicated_on, record.executed
        total += flops_of(opcode, modifiers, record.sass, threads, warps)
    return total


def flops_of(opcode: str, modifiers: tuple[str, ...], sass: str, threads: int, warps: int) -> Flops:
    """Operations of one instruction that ``threads`` lanes of ``warps`` warps execute."""
    return Flops(
        fp16=FP16_FLOPS.get(opcode, 0) * threads if _computes_halves(opcode, sass) else 0,
        fp32=FP32_FLOPS.get(opcode, 0) * threads,
        fp64=FP64_FLOPS.get(opcode, 0) * threads,
        tensor=tensor_flops(opcode, modifiers) * warps if opcode in _TENSOR else 0,
    )


def tensor_flops(opcode: str, modifiers: tuple[str, ...]) -> int:
    """Operations of one warp's matrix product by its shape; 0 when no shape is named."""
    for modifier in modifiers:
        match = _SHAPE.match(modifier)
        shape = tuple(map(int, match.groups())) if match else _SHAPES.get(modifier)
        if shape:
            m, n, k = shape
            return 2 * m * n * k // _WARPS_TOGETHER.get(opcode, 1)
    return 0


def _computes_halves(opcode: str, sass: str) -> bool:
    """False for constants that are written, and conversions, both with the units for halves."""
    _, _, sources = sass.partition(",")
    adds_zero = opcode == "HADD2" and _ZERO.search(sources) is not None
    return _REGISTER.search(sources) is not None and not adds_zero
