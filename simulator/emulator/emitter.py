"""Text of LLVM IR for one basic block, built a machine instruction at a time.

Lane-wise instructions are emitted for eight lanes (``<8 x i32>``) inside a loop of four trips;
uniform-datapath instructions once, as scalars. The same semantics serve both: they ask the
emitter for operands and hand results back, and the emitter's *mode* decides the types.
"""

from __future__ import annotations

import struct

from simulator.emulator import layout
from simulator.errors import UnsupportedError
from simulator.isa.kernel import PT, RZ, Instruction, Kernel, Operand, OperandKind

VECTOR = 8
_ROW_BYTES = layout.LANES * 4


def location(instruction: Instruction) -> str:
    """The source position of an instruction, for messages."""
    if instruction.source is None:
        return "no source line"
    return f"{instruction.source.file}:{instruction.source.line}"


def unsupported(instruction: Instruction, detail: str = "") -> UnsupportedError:
    """The error for a form the emulator does not implement."""
    return UnsupportedError(instruction.form, instruction.address, location(instruction), detail)


class Emitter:
    """Collects the IR of one basic block.

    ``vector`` is True inside a lane loop. Values are SSA names or constants as text; *integers*
    have the type ``self.i32``, masks are integers of 0 or -1 a lane, conditions are ``self.i1``.
    """

    def __init__(self, kernel: Kernel, name: str, blocks: dict[int, int]) -> None:
        self.kernel = kernel
        self.name = name
        self.blocks = blocks  # byte address -> basic block that starts there
        self.lines: list[str] = []
        self.intrinsics: set[str] = set()
        self.instruction: Instruction = kernel.instructions[0]
        self.vector = False
        self._next = 0
        self._loop = 0
        self._loop_size = 0
        self._label = "entry"
        self._guard = ""  # condition under which a lane writes
        self._active = ""
        self._lanes = ""  # scalar mode: the lanes whose guard holds, once known

    # -- structure -----------------------------------------------------------------------------

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
            f"  %{loop}.c = phi i64 [0, %{self._label}], [%{loop}.n, %{loop}]",
            f"  %{loop}.r = getelementptr i8, ptr %rows, i64 %{loop}.c",
        ]
        self._label = loop
        self.vector = True
        self._loop_size = 0
        self._active = self.condition(self.load_row(layout.ROW_ACTIVE))

    def _close_loop(self) -> None:
        if not self.vector:
            return
        loop = self._label
        self.lines += [
            f"  %{loop}.n = add i64 %{loop}.c, {VECTOR * 4}",
            f"  %{loop}.e = icmp ult i64 %{loop}.n, {_ROW_BYTES}",
            f"  br i1 %{loop}.e, label %{loop}, label %{loop}.x",
            f"{loop}.x:",
        ]
        self._label = f"{loop}.x"
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

    def _count_predicated(self, lanes: str) -> None:
        place = self.temp(f"getelementptr i64, ptr %predicated, i64 {self.instruction.index}")
        old = self.temp(f"load i64, ptr {place}")
        self.lines.append(f"  store i64 {self.temp(f'add i64 {old}, {lanes}')}, ptr {place}")

    # -- types and small operations ------------------------------------------------------------

    def typed(self, scalar: str) -> str:
        """``scalar`` as a vector type in lane-wise mode."""
        return f"<{VECTOR} x {scalar}>" if self.vector else scalar

    @property
    def i1(self) -> str:
        return self.typed("i1")

    @property
    def i32(self) -> str:
        return self.typed("i32")

    @property
    def i64(self) -> str:
        return self.typed("i64")

    @property
    def f32(self) -> str:
        return self.typed("float")

    @property
    def f64(self) -> str:
        return self.typed("double")

    def temp(self, expression: str) -> str:
        """A new SSA value."""
        self._next += 1
        name = f"%t{self._next}"
        self.lines.append(f"  {name} = {expression}")
        return name

    def constant(self, value: int, scalar: str = "i32") -> str:
        """An integer constant of the current width; wraps to the type."""
        bits = int(scalar[1:])
        value &= (1 << bits) - 1
        if value >= 1 << (bits - 1) and bits > 1:
            value -= 1 << bits
        if value == 0:
            return "zeroinitializer" if self.vector else "0"
        return f"splat ({scalar} {value})" if self.vector else str(value)

    def op(self, name: str, a: str, b: str, type_: str | None = None) -> str:
        """A two-operand instruction on ``type_`` (default: integers)."""
        return self.temp(f"{name} {type_ or self.i32} {a}, {b}")

    def cast(self, name: str, value: str, source: str, target: str) -> str:
        """A conversion instruction."""
        if source == target:
            return value
        return self.temp(f"{name} {source} {value} to {target}")

    def select(self, condition: str, a: str, b: str, type_: str | None = None) -> str:
        """``a`` where the condition holds, else ``b``."""
        t = type_ or self.i32
        return self.temp(f"select {self.i1} {condition}, {t} {a}, {t} {b}")

    def compare(self, name: str, a: str, b: str, type_: str | None = None) -> str:
        """An icmp/fcmp; ``name`` as in IR, such as ``icmp slt``."""
        return self.temp(f"{name} {type_ or self.i32} {a}, {b}")

    def condition(self, mask: str) -> str:
        """A mask of 0/-1 as conditions."""
        return self.compare("icmp slt", mask, self.constant(0))

    def mask(self, condition: str) -> str:
        """Conditions as a mask of 0/-1."""
        return self.cast("sext", condition, self.i1, self.i32)

    def call(self, result: str, function: str, arguments: tuple[tuple[str, str], ...]) -> str:
        """Call an LLVM intrinsic or a runtime function; returns its value ('' for void)."""
        types = ", ".join(t for t, _ in arguments)
        self.intrinsics.add(f"declare {result} @{function}({types})")
        text = f"call {result} @{function}({', '.join(f'{t} {v}' for t, v in arguments)})"
        if result == "void":
            self.lines.append(f"  {text}")
            return ""
        return self.temp(text)

    def intrinsic(self, name: str, scalar: str, *values: str) -> str:
        """A lane-wise intrinsic such as ``llvm.fma`` on values of one type."""
        suffix = {"float": "f32", "double": "f64"}.get(scalar, scalar)
        suffix = f"v{VECTOR}{suffix}" if self.vector else suffix
        t = self.typed(scalar)
        return self.call(t, f"{name}.{suffix}", tuple((t, v) for v in values))

    # -- rows and scalars ------------------------------------------------------------------------

    def row_pointer(self, row: int) -> str:
        """Address of eight lanes of a row (lane-wise mode) or of the whole row (scalar mode)."""
        base = f"%{self._label}.r" if self.vector else "%rows"
        return self.temp(f"getelementptr i8, ptr {base}, i64 {row * _ROW_BYTES}")

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

    def splat(self, scalar: str, type_: str = "i32") -> str:
        """A scalar value in every lane (unchanged in scalar mode)."""
        if not self.vector:
            return scalar
        t = self.typed(type_)
        one = self.temp(f"insertelement {t} poison, {type_} {scalar}, i64 0")
        zeros = f"<{VECTOR} x i32> zeroinitializer"
        return self.temp(f"shufflevector {t} {one}, {t} poison, {zeros}")

    # -- operands -------------------------------------------------------------------------------

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
        offset = str(operand.value + 4 * part)
        if operand.base is not None:
            base = self.temp(f"zext i32 {self.uniform(operand.base)} to i64")
            offset = self.temp(f"add i64 {base}, {offset}")
        table = self.temp(f"inttoptr i64 {self.load_context(layout.X_CONSTANTS)} to ptr")
        entry = self.temp(f"getelementptr i64, ptr {table}, i64 {2 * operand.bank}")
        bank = self.temp(f"load ptr, ptr {entry}")
        place = self.temp(f"getelementptr i8, ptr {bank}, i64 {offset}")
        return self.temp(f"load i32, ptr {place}, align 1")

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

    # -- results --------------------------------------------------------------------------------

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


def float_bits(number: float) -> int:
    """The bits of a float32; a NaN as the disassembler's +QNAN, 0x7fffffff."""
    if number != number:
        return 0x7FFFFFFF
    return int.from_bytes(struct.pack("<f", number), "little")
