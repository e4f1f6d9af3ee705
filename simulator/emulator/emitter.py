"""Text of LLVM IR for one basic block, built a machine instruction at a time.

Lane-wise instructions are emitted for eight lanes (``<8 x i32>``) inside a loop of four trips;
uniform-datapath instructions once, as scalars. The same semantics serve both: they ask the
emitter for operands and hand results back, and the emitter's *mode* decides the types.
"""

from __future__ import annotations

from itertools import takewhile

from simulator.emulator import layout
from simulator.emulator.reader import ROW_BYTES, Reader, float_bits, location, unsupported
from simulator.emulator.text import VECTOR
from simulator.isa.kernel import PT, RZ, Instruction, Kernel, Operand, OperandKind

_PREDICATES = (OperandKind.PREDICATE, OperandKind.UNIFORM_PREDICATE)

__all__ = ["VECTOR", "Emitter", "float_bits", "location", "unsupported"]


class Emitter(Reader):
    """Collects the IR of one basic block: guards, lane loops and results."""

    def __init__(self, kernel: Kernel, name: str, blocks: dict[int, int]) -> None:
        super().__init__(kernel.instructions[0])
        self.kernel = kernel
        self.name = name
        self.blocks = blocks  # byte address -> basic block that starts there
        self._loop = 0
        self._loop_size = 0
        self._guard = ""  # condition under which a lane writes
        self._active = ""
        self._lanes = ""  # scalar mode: the lanes whose guard holds, once known

    def begin(self, instruction: Instruction, vector: bool) -> None:
        """Start an instruction in lane-wise or scalar mode, opening or closing the lane loop."""
        self.instruction = instruction
        if vector and (not self.vector or self._loop_size >= 40):
            self._close_loop()
            self._open_loop()
        elif not vector:
            self._close_loop()
        self._loop_size += 1
        self._guard = self._vector_guard() if vector else self._scalar_guard()

    def finish(self) -> None:
        """Close an open lane loop."""
        self._close_loop()

    def _open_loop(self) -> None:
        self._loop += 1
        loop = f"lanes{self._loop}"
        self.lines += [
            f"  br label %{loop}",
            f"{loop}:",
            f"  %{loop}.c = phi i64 [0, %{self.label}], [%{loop}.n, %{loop}]",
            f"  %{loop}.r = getelementptr i8, ptr %rows, i64 %{loop}.c",
        ]
        self.label = loop
        self.vector = True
        self._loop_size = 0
        self._active = self.condition(self.load_row(layout.ROW_ACTIVE))

    def _close_loop(self) -> None:
        if not self.vector:
            return
        loop = self.label
        self.lines += [
            f"  %{loop}.n = add i64 %{loop}.c, {VECTOR * 4}",
            f"  %{loop}.e = icmp ult i64 %{loop}.n, {ROW_BYTES}",
            f"  br i1 %{loop}.e, label %{loop}, label %{loop}.x",
            f"{loop}.x:",
        ]
        self.label = f"{loop}.x"
        self.vector = False

    def _vector_guard(self) -> str:
        predicate = self.instruction.predicate
        if predicate is None:
            return self._active
        guard = self.op("and", self._active, self.condition(self.predicate(predicate)), self.i1)
        bits = self.temp(f"bitcast {self.i1} {guard} to i{VECTOR}")
        count = self.call("i8", "llvm.ctpop.i8", (("i8", bits),))
        self._count_predicated(self.temp(f"zext i8 {count} to i64"))
        return guard

    def _scalar_guard(self) -> str:
        """Whether any lane's guard holds ('' without a guard); counts the lanes."""
        self._lanes = ""
        predicate = self.instruction.predicate
        if predicate is None:
            return ""
        active = self.load_scalar(layout.ACTIVE)
        self._lanes = self.op("and", active, self.predicate_bits(predicate))
        count = self.call("i32", "llvm.ctpop.i32", (("i32", self._lanes),))
        self._count_predicated(self.temp(f"zext i32 {count} to i64"))
        return self.compare("icmp ne", self._lanes, "0")

    def lane_bits(self) -> str:
        """Scalar mode: the lanes whose guard holds, as an i32 bit mask."""
        if not self._lanes:
            self._lanes = self.load_scalar(layout.ACTIVE)
        return self._lanes

    def predicate_bits(self, predicate: Operand) -> str:
        """Scalar mode: a predicate of all lanes as an i32 bit mask."""
        if predicate.value == PT:
            return "0" if predicate.invert else "-1"
        if predicate.kind is OperandKind.UNIFORM_PREDICATE:
            return self.predicate(predicate)
        row = self.row_pointer(layout.ROW_PREDICATE + predicate.value)
        bits = self.call("i32", "lane_bits", (("ptr", row),))
        return self.op("xor", bits, "-1") if predicate.invert else bits

    def count_taken(self, lanes: str) -> None:
        """Count the lanes (an i32 bit mask) for which a branch's second predicate holds too."""
        count = self.call("i32", "llvm.ctpop.i32", (("i32", lanes),))
        self._count_predicated(self.temp(f"zext i32 {count} to i64"), 1)

    def count_results(self) -> None:
        """Count the lanes for which each predicate holds that the instruction writes first."""
        self._close_loop()
        active = self.load_scalar(layout.ACTIVE)
        for operand in takewhile(lambda o: o.kind in _PREDICATES, self.instruction.operands):
            if operand.value != PT:
                self.count_taken(self.op("and", active, self.predicate_bits(operand)))

    def _count_predicated(self, lanes: str, column: int = 0) -> None:
        index = 2 * self.instruction.index + column
        place = self.temp(f"getelementptr i64, ptr %predicated, i64 {index}")
        old = self.temp(f"load i64, ptr {place}")
        self.lines.append(f"  store i64 {self.temp(f'add i64 {old}, {lanes}')}, ptr {place}")

    def write(self, operand: Operand, value: str, part: int = 0) -> None:
        """Write a 32-bit result to a register where the guard holds."""
        if operand.value == RZ:
            return
        if operand.kind is OperandKind.UNIFORM_REGISTER:
            self._write_scalar(layout.UNIFORM_REGISTERS + operand.value + part, value)
            return
        row = layout.ROW_REGISTER + operand.value + part
        self.store_row(row, self.select(self._guard, value, self.load_row(row)))

    def _write_scalar(self, index: int, value: str) -> None:
        if self._guard:
            value = self.select(self._guard, value, self.load_scalar(index))
        self.store_scalar(index, value)

    def write_float(self, operand: Operand, value: str) -> None:
        """Write a float32 result; a NaN becomes the canonical 0x7fffffff, as the hardware does."""
        nan = self.compare("fcmp uno", value, value, self.f32)
        self.write(operand, self.select(nan, self.constant(0x7FFFFFFF), self.as_bits(value)))

    def write_wide(self, operand: Operand, value: str) -> None:
        """Write 64-bit integers to a register pair."""
        self.write(operand, self.cast("trunc", value, self.i64, self.i32))
        high = self.op("lshr", value, self.constant(32, "i64"), self.i64)
        self.write(operand, self.cast("trunc", high, self.i64, self.i32), 1)

    def write_predicate(self, operand: Operand, mask: str) -> None:
        """Write a mask of 0/-1 to a predicate where the guard holds."""
        if operand.value == PT:
            return
        if operand.kind is OperandKind.UNIFORM_PREDICATE:
            self._write_scalar(layout.UNIFORM_PREDICATES + operand.value, mask)
            return
        row = layout.ROW_PREDICATE + operand.value
        self.store_row(row, self.select(self._guard, mask, self.load_row(row)))
