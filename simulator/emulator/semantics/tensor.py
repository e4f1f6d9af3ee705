"""Matrix products of a warp."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.emulator.emitter import Emitter, unsupported
from simulator.emulator.runtime import codes as kinds
from simulator.emulator.semantics.table import Mode, opcode, runtime_call
from simulator.isa.kernel import RZ, Instruction, Operand


@dataclass(frozen=True, slots=True)
class SumRule:
    """How the tensor cores of an architecture add products.

    ``group`` products of 16-bit floats (half as many TF32) and the accumulator are cut off
    ``bits`` below the largest exponent, added, and cut to float32.
    """

    group: int
    bits: int


# sm_90 measured on an NVIDIA H200; sm_80 to sm_89: Fasi et al., Numerical behavior of NVIDIA
# tensor cores, PeerJ CS 2021 (not measured here, so results there are bounded, not exact).
_RULES = {80: SumRule(8, 24), 86: SumRule(8, 24), 89: SumRule(8, 24), 90: SumRule(16, 25)}
_NEWEST = _RULES[90]

_SHAPES = {"16816": 16, "1688": 8, "1684": 4}
_BYTES = {"16816": 16, "16832": 32}


def sum_rule(architecture: int) -> SumRule:
    """The rule of an architecture; the newest known one for later architectures."""
    return _RULES.get(architecture, _NEWEST)


def _rows(e: Emitter, operands: list[Operand]) -> list[int]:
    return [-1 if o.value == RZ else e.source_row(o) for o in operands]


def _guard_free(i: Instruction) -> None:
    if i.predicate is not None:
        raise unsupported(i, "guarded matrix product")


@opcode("HMMA", modifiers="16816 1688 1684 F16 F32 BF16 TF32", mode=Mode.SCALAR)
def hmma(e: Emitter, i: Instruction) -> None:
    """d = a b + c: 16 x 8 results, k of 4 to 16, float32 or float16 sums."""
    _guard_free(i)
    d, *sources = i.operands
    k = next(_SHAPES[m] for m in i.modifiers if m in _SHAPES)
    kind = kinds.BF16 if i.has("BF16") else kinds.TF32 if i.has("TF32") else kinds.F16
    rule = sum_rule(e.kernel.architecture)
    group = rule.group // 2 if i.has("TF32") else rule.group
    e.lane_bits()
    runtime_call(
        e, "smr_mma_float", e.target_row(d), *_rows(e, sources), kind, k, min(group, k), rule.bits,
        int(not i.has("F32")),
    )  # fmt: skip


@opcode("IMMA", modifiers="16816 16832 S8 U8 SAT", mode=Mode.SCALAR)
def imma(e: Emitter, i: Instruction) -> None:
    """d = a b + c on bytes."""
    _guard_free(i)
    d, *sources = i.operands
    k = next(_BYTES[m] for m in i.modifiers if m in _BYTES)
    first, second = (kinds.S8 if m == "S8" else kinds.U8 for m in i.modifiers if m in ("S8", "U8"))
    e.lane_bits()
    runtime_call(
        e, "smr_mma_integer", e.target_row(d), *_rows(e, sources), first, second, k,
        int(i.has("SAT")),
    )  # fmt: skip


@opcode("DMMA", modifiers="884 8x8x4", mode=Mode.SCALAR)
def dmma(e: Emitter, i: Instruction) -> None:
    """d = a b + c on float64, 8 x 8 x 4."""
    _guard_free(i)
    d, *sources = i.operands
    e.lane_bits()
    runtime_call(e, "smr_mma_double", e.target_row(d), *_rows(e, sources))


@opcode("MOVM", modifiers="16 MT88", mode=Mode.SCALAR)
def movm(e: Emitter, i: Instruction) -> None:
    """An 8 x 8 matrix of 16-bit elements transposed across the warp."""
    _guard_free(i)
    d, source = i.operands
    if not i.has("MT88"):
        raise unsupported(i)
    e.lane_bits()
    runtime_call(e, "smr_move_matrix", e.target_row(d), *_rows(e, [source]))
