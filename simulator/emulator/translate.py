"""Machine code to LLVM IR: one function a basic block."""

from __future__ import annotations

from simulator.emulator import layout
from simulator.emulator.basic_block import BasicBlock
from simulator.emulator.emitter import Emitter
from simulator.emulator.semantics import lookup
from simulator.emulator.semantics.table import Mode
from simulator.isa.kernel import INSTRUCTION_BYTES, Kernel

_HELPERS = """
define internal i32 @lane_bits(ptr %row) {
  %a = load <8 x i32>, ptr %row, align 32
  %p1 = getelementptr i8, ptr %row, i64 32
  %b = load <8 x i32>, ptr %p1, align 32
  %p2 = getelementptr i8, ptr %row, i64 64
  %c = load <8 x i32>, ptr %p2, align 32
  %p3 = getelementptr i8, ptr %row, i64 96
  %d = load <8 x i32>, ptr %p3, align 32
  %a1 = icmp slt <8 x i32> %a, zeroinitializer
  %b1 = icmp slt <8 x i32> %b, zeroinitializer
  %c1 = icmp slt <8 x i32> %c, zeroinitializer
  %d1 = icmp slt <8 x i32> %d, zeroinitializer
  %a2 = bitcast <8 x i1> %a1 to i8
  %b2 = bitcast <8 x i1> %b1 to i8
  %c2 = bitcast <8 x i1> %c1 to i8
  %d2 = bitcast <8 x i1> %d1 to i8
  %a3 = zext i8 %a2 to i32
  %b3 = zext i8 %b2 to i32
  %c3 = zext i8 %c2 to i32
  %d3 = zext i8 %d2 to i32
  %b4 = shl i32 %b3, 8
  %c4 = shl i32 %c3, 16
  %d4 = shl i32 %d3, 24
  %ab = or i32 %a3, %b4
  %cd = or i32 %c4, %d4
  %r = or i32 %ab, %cd
  ret i32 %r
}

define internal void @fill_row(ptr %row, i32 %value) {
  %one = insertelement <8 x i32> poison, i32 %value, i64 0
  %all = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> zeroinitializer
  store <8 x i32> %all, ptr %row, align 32
  %p1 = getelementptr i8, ptr %row, i64 32
  store <8 x i32> %all, ptr %p1, align 32
  %p2 = getelementptr i8, ptr %row, i64 64
  store <8 x i32> %all, ptr %p2, align 32
  %p3 = getelementptr i8, ptr %row, i64 96
  store <8 x i32> %all, ptr %p3, align 32
  ret void
}
"""
_OWN = ("@lane_bits(", "@fill_row(")


def translate(
    kernel: Kernel,
    blocks: tuple[BasicBlock, ...],
    left_out: frozenset[int] = frozenset(),
    watched: frozenset[int] = frozenset(),
) -> str:
    """The LLVM IR module of a kernel, as text, without some of its instructions (by index).

    Of those ``watched`` the lanes are counted for which predicates that they write hold.

    Raises UnsupportedError at the first instruction form without semantics.
    """
    starts = {kernel.instructions[b.first].address: b.index for b in blocks}
    declarations: set[str] = set()
    bodies = []
    for block in blocks:
        emitter = Emitter(kernel, block.name, starts)
        _emit(emitter, kernel, block, left_out, watched)
        declarations |= emitter.intrinsics
        bodies.append(_function(emitter))
    kept = sorted(d for d in declarations if not any(own in d for own in _OWN))
    return "\n".join([*kept, _HELPERS, *bodies])


def _emit(
    e: Emitter, kernel: Kernel, block: BasicBlock, left_out: frozenset[int], watched: frozenset[int]
) -> None:
    mode = Mode.LANES
    for instruction in kernel.instructions[block.first : block.end]:
        row = lookup(instruction)
        mode = row.mode
        if instruction.index in left_out:
            if instruction.predicate is not None:  # the lanes of its guard still count
                e.begin(instruction, vector=False)
            continue
        e.begin(instruction, vector=mode is Mode.LANES)
        row.handler(e, instruction)
        if instruction.index in watched:
            e.count_results()
    if mode is not Mode.CONTROL:
        e.finish()
        following = e.blocks.get(block.end * INSTRUCTION_BYTES, -1)
        e.lines.append(f"  ret i32 {following}")


def _function(e: Emitter) -> str:
    rows = layout.HEADER_WORDS * 4
    head = [
        f"define i32 @{e.name}(ptr %w, ptr %x) {{",
        "entry:",
        f"  %rows = getelementptr i8, ptr %w, i64 {rows}",
        f"  %predicated.p = getelementptr i64, ptr %x, i64 {layout.X_PREDICATED_ON}",
        "  %predicated = load ptr, ptr %predicated.p",
    ]
    return "\n".join([*head, *e.lines, "}"])
