"""Text of LLVM IR, an operation at a time, on scalars or on vectors of eight lanes."""

from __future__ import annotations

VECTOR = 8


class Text:
    """Lines of one function's IR.

    ``vector`` is True inside a lane loop. Values are SSA names or constants as text; *integers*
    have the type ``self.i32``, masks are integers of 0 or -1 a lane, conditions are ``self.i1``.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.intrinsics: set[str] = set()  # declarations and helper functions the lines need
        self.vector = False
        self.label = "entry"
        self._next = 0

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

    def splat(self, scalar: str, type_: str = "i32") -> str:
        """A scalar value in every lane (unchanged in scalar mode)."""
        if not self.vector:
            return scalar
        t = self.typed(type_)
        one = self.temp(f"insertelement {t} poison, {type_} {scalar}, i64 0")
        zeros = f"<{VECTOR} x i32> zeroinitializer"
        return self.temp(f"shufflevector {t} {one}, {t} poison, {zeros}")
