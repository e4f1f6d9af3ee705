"""A warp's state and the operands of a machine instruction, read in LLVM IR."""

from __future__ import annotations

import struct

from simulator.emulator import layout
from simulator.emulator.text import Text
from simulator.errors import UnsupportedError
from simulator.isa.kernel import PT, RZ, Instruction, Operand, OperandKind

ROW_BYTES = layout.LANES * 4


def location(instruction: Instruction) -> str:
    """The source position of an instruction, for messages."""
    if instruction.source is None:
        return "no source line"
    return f"{instruction.source.file}:{instruction.source.line}"


def unsupported(instruction: Instruction, detail: str = "") -> UnsupportedError:
    """The error for a form the emulator does not implement."""
    return UnsupportedError(instruction.form, instruction.address, location(instruction), detail)


class Reader(Text):
    """Reads rows, scalars and operands of ``instruction``."""

    def __init__(self, instruction: Instruction) -> None:
        super().__init__()
        self.instruction = instruction

    def row_pointer(self, row: int) -> str:
        """Address of eight lanes of a row (lane-wise mode) or of the whole row (scalar mode)."""
        base = f"%{self.label}.r" if self.vector else "%rows"
        return self.temp(f"getelementptr i8, ptr {base}, i64 {row * ROW_BYTES}")

    def load_row(self, row: int) -> str:
        """Eight lanes of a row."""
        return self.temp(f"load {self.i32}, ptr {self.row_pointer(row)}, align 32")

    def store_row(self, row: int, value: str) -> None:
        """Write eight lanes of a row, whatever the guard."""
        self.lines.append(f"  store {self.i32} {value}, ptr {self.row_pointer(row)}, align 32")

    def load_scalar(self, index: int) -> str:
        """An i32 of the warp's header."""
        place = self.temp(f"getelementptr i32, ptr %w, i64 {index}")
        return self.temp(f"load i32, ptr {place}")

    def store_scalar(self, index: int, value: str) -> None:
        """Write an i32 of the warp's header."""
        place = self.temp(f"getelementptr i32, ptr %w, i64 {index}")
        self.lines.append(f"  store i32 {value}, ptr {place}")

    def load_context(self, index: int) -> str:
        """An i64 of the worker's context."""
        place = self.temp(f"getelementptr i64, ptr %x, i64 {index}")
        return self.temp(f"load i64, ptr {place}")

    def read(self, operand: Operand, part: int = 0) -> str:
        """The bits of an operand, without its prefix operators; ``part`` 1 is the high word."""
        kind = operand.kind
        if kind is OperandKind.REGISTER:
            if operand.value == RZ:
                return self.constant(0)
            if not self.vector:
                raise unsupported(self.instruction, "lane register in uniform code")
            return self.load_row(layout.ROW_REGISTER + operand.value + part)
        if kind is OperandKind.UNIFORM_REGISTER:
            return self.splat(self.uniform(operand, part))
        if kind is OperandKind.IMMEDIATE:
            return self.constant(operand.value >> (32 * part) if part else operand.value)
        if kind is OperandKind.FLOAT:
            return self.constant(float_bits(operand.number))
        if kind is OperandKind.CONSTANT:
            return self.splat(self.constant_word(operand, part))
        raise unsupported(self.instruction, f"operand {operand.text}")

    def uniform(self, operand: Operand, part: int = 0) -> str:
        """A uniform register as a scalar."""
        if operand.value == RZ:
            return "0"
        return self.load_scalar(layout.UNIFORM_REGISTERS + operand.value + part)

    def constant_word(self, operand: Operand, part: int = 0) -> str:
        """A 32-bit word of a constant bank, as a scalar; the offset may be a uniform register."""
        if operand.uniform is not None or (
            operand.base is not None and operand.base.kind is not OperandKind.UNIFORM_REGISTER
        ):
            raise unsupported(self.instruction, f"operand {operand.text}")
        table = self.temp(f"inttoptr i64 {self.load_context(layout.X_CONSTANTS)} to ptr")
        entry = self.temp(f"getelementptr i64, ptr {table}, i64 {2 * operand.bank}")
        bank = self.temp(f"load ptr, ptr {entry}")
        offset = operand.value + 4 * part
        if operand.base is not None:
            return self._indexed_word(operand.base, offset, entry, bank)
        place = self.temp(f"getelementptr i8, ptr {bank}, i64 {offset}")
        return self.temp(f"load i32, ptr {place}, align 1")

    def _indexed_word(self, base: Operand, offset: int, entry: str, bank: str) -> str:
        """A word of a bank at a register's offset, 32 bits that wrap; zero outside the bank."""
        here = self.temp(f"add i32 {self.uniform(base)}, {offset}")
        where = self.temp(f"zext i32 {here} to i64")
        size = self.temp(f"load i64, ptr {self.temp(f'getelementptr i64, ptr {entry}, i64 1')}")
        end = self.temp(f"add i64 {where}, 4")
        inside = self.temp(f"icmp ule i64 {end}, {size}")
        safe = self.temp(f"select i1 {inside}, i64 {where}, i64 0")
        word = self.temp(
            f"load i32, ptr {self.temp(f'getelementptr i8, ptr {bank}, i64 {safe}')}, align 1"
        )
        return self.temp(f"select i1 {inside}, i32 {word}, i32 0")

    def integer(self, operand: Operand, part: int = 0) -> str:
        """An operand as a 32-bit integer, ``-`` and ``~`` applied."""
        value = self.read(operand, part)
        if operand.absolute:
            value = self.call(
                self.i32,
                f"llvm.abs.{'v8' if self.vector else ''}i32",
                ((self.i32, value), ("i1", "false")),
            )
        if operand.invert:
            value = self.op("xor", value, self.constant(-1))
        if operand.negate:
            value = self.op("sub", self.constant(0), value)
        return value

    def float32(self, operand: Operand) -> str:
        """An operand as float32, ``|x|`` and ``-`` applied."""
        return self.as_float(self.signed_bits(self.read(operand), operand))

    def signed_bits(self, bits: str, operand: Operand, sign: int = 0x80000000) -> str:
        """Apply ``|x|`` and ``-`` of a float operand to its bits."""
        if operand.absolute:
            bits = self.op("and", bits, self.constant(~sign))
        if operand.negate:
            bits = self.op("xor", bits, self.constant(sign))
        return bits

    def as_float(self, bits: str) -> str:
        return self.cast("bitcast", bits, self.i32, self.f32)

    def as_bits(self, value: str) -> str:
        return self.cast("bitcast", value, self.f32, self.i32)

    def wide(self, operand: Operand) -> str:
        """A register pair (or zero-extended immediate) as 64-bit integers, ``-`` applied."""
        if operand.kind is OperandKind.IMMEDIATE:
            return self.constant(operand.value, "i64")
        low = self.cast("zext", self.read(operand), self.i32, self.i64)
        high = self.cast("zext", self.read(operand, 1), self.i32, self.i64)
        value = self.join(low, high)
        if operand.negate:
            value = self.op("sub", self.constant(0, "i64"), value, self.i64)
        return value

    def join(self, low: str, high: str) -> str:
        """Two zero-extended halves as one 64-bit integer."""
        shifted = self.op("shl", high, self.constant(32, "i64"), self.i64)
        return self.op("or", low, shifted, self.i64)

    def predicate(self, operand: Operand) -> str:
        """A predicate operand as a mask of 0/-1."""
        if operand.kind is OperandKind.REGISTER:
            return self._sign(operand)
        uniform = operand.kind is OperandKind.UNIFORM_PREDICATE
        if operand.value == PT:
            return self.constant(0 if operand.invert else -1)
        if uniform:
            value = self.splat(self.load_scalar(layout.UNIFORM_PREDICATES + operand.value))
        else:
            value = self.load_row(layout.ROW_PREDICATE + operand.value)
        return self.op("xor", value, self.constant(-1)) if operand.invert else value

    def _sign(self, operand: Operand) -> str:
        """The sign of a register (``R4.SIGN``) as a mask."""
        if operand.modifiers != ("SIGN",):
            raise unsupported(self.instruction, f"operand {operand.text}")
        value = self.op("ashr", self.read(operand), self.constant(31))
        return self.op("xor", value, self.constant(-1)) if operand.invert else value

    def source_row(self, operand: Operand, slot: int = 0, part: int = 0) -> int:
        """Scalar mode: the row that holds an operand; others than registers fill a scratch row."""
        if operand.kind is OperandKind.REGISTER and operand.value == RZ:
            return layout.ROW_ZERO
        if operand.kind is OperandKind.REGISTER:
            return layout.ROW_REGISTER + operand.value + part
        row = layout.ROW_TEMP + slot
        value = self.read(operand, part)
        self.call("void", "fill_row", (("ptr", self.row_pointer(row)), ("i32", value)))
        return row

    def target_row(self, operand: Operand) -> int:
        """Scalar mode: the row a runtime function writes; RZ gets scratch rows nobody reads."""
        if operand.value == RZ:
            return layout.ROW_TEMP + layout.TEMP_ROWS - 4
        return layout.ROW_REGISTER + operand.value


def float_bits(number: float) -> int:
    """The bits of a float32; a NaN as the disassembler's +QNAN, 0x7fffffff."""
    if number != number:
        return 0x7FFFFFFF
    return int.from_bytes(struct.pack("<f", number), "little")
