"""LLVM IR that works on rows of 32 lanes, four vectors of eight each, as text."""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.emulator import layout

VECTORS = range(4)
V = "<8 x i32>"
W = "<8 x i64>"
P = "<8 x ptr>"


@dataclass
class Text:
    """IR lines with fresh names."""

    lines: list[str] = field(default_factory=list)
    count: int = 0

    def let(self, expression: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {expression}")
        return f"%v{self.count}"

    def do(self, *lines: str) -> None:
        self.lines += [f"  {line}" if not line.endswith(":") else line for line in lines]

    def context(self, index: int) -> str:
        return self.let(f"load i64, ptr {self.let(f'getelementptr i64, ptr %x, i64 {index}')}")

    def pointer(self, index: int) -> str:
        return self.let(f"inttoptr i64 {self.context(index)} to ptr")

    def splat(self, value: str, scalar: str) -> str:
        one = self.let(f"insertelement <8 x {scalar}> poison, {scalar} {value}, i64 0")
        zeros = "<8 x i32> zeroinitializer"
        return self.let(f"shufflevector <8 x {scalar}> {one}, <8 x {scalar}> poison, {zeros}")

    def row(self, number: str) -> str:
        """Address of a row given by an i32 value."""
        wide = self.let(f"zext i32 {number} to i64")
        place = self.let(f"mul i64 {wide}, {layout.LANES * 4}")
        start = self.let(f"add i64 {place}, {layout.HEADER_WORDS * 4}")
        return self.let(f"getelementptr i8, ptr %w, i64 {start}")

    def part(self, row: str, vector: int, word: int = 0) -> str:
        """Address of eight lanes of a row, ``word`` rows further."""
        return self.let(f"getelementptr i8, ptr {row}, i64 {32 * vector + layout.LANES * 4 * word}")
