"""Is the machine code read as the disassembler prints it? Every instruction, six architectures."""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path

import pytest

from simulator.frontends.cuda import compile_cuda
from simulator.isa.kernel import PT, RZ, Kernel, Operand, OperandKind
from simulator.toolchain.nvdisasm import run_nvdisasm
from simulator.toolchain.nvrtc import ARCHITECTURES

FILES = sorted((Path(__file__).parent / "corpus").glob("*.cu"))
ENTRIES = [path.stem for path in FILES]
SOURCE = "".join(path.read_text() for path in FILES)  # one compilation an architecture
everywhere = [(entry, number) for number in ARCHITECTURES for entry in ENTRIES]
on_every_kernel = pytest.mark.parametrize(("entry", "architecture"), everywhere)
_LINE = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*(?:;|\(\*).*$")
_FILE = re.compile(r'^\s+//## File "([^"]+)", line (\d+)')
_PREFIX = {
    OperandKind.REGISTER: "R",
    OperandKind.UNIFORM_REGISTER: "UR",
    OperandKind.PREDICATE: "P",
    OperandKind.UNIFORM_PREDICATE: "UP",
    OperandKind.BARRIER: "B",
    OperandKind.SCOREBOARD: "SB",
}


@cache
def compiled(entry: str, architecture: int) -> Kernel:
    return compile_cuda(SOURCE, entry, device=architecture)


@cache
def disassembly(architecture: int) -> dict[str, list[tuple[int, str, str, int]]]:
    """Address, text, file and line of every instruction as nvdisasm prints them, by kernel."""
    found: dict[str, list[tuple[int, str, str, int]]] = {}
    file, line, name = "", 0, ""
    cubin = compiled(ENTRIES[0], architecture).cubin
    for row in run_nvdisasm(cubin, "-c", "-g").decode().splitlines():
        if row.startswith(".text."):
            name = row.removeprefix(".text.").rstrip(":")
        elif at := _FILE.match(row):
            file, line = at.group(1), int(at.group(2))
        elif at := _LINE.match(row):
            found.setdefault(name, []).append((int(at.group(1), 16), at.group(2), file, line))
    return found


def printed(entry: str, architecture: int) -> list[tuple[int, str, str, int]]:
    return disassembly(architecture)[entry]


def render(operand: Operand) -> str:
    """An operand as text, from its fields alone."""
    body = core(operand)
    body = f"|{body}|" if operand.absolute else body
    suffix = "".join(f".{m}" for m in operand.modifiers) + (".reuse" if operand.reuse else "")
    sign = "-" * operand.negate
    if operand.invert:
        sign += "!" if operand.kind.value.endswith("P") else "~"
    return sign + body + suffix


def core(operand: Operand) -> str:
    kind, value = operand.kind, operand.value
    if kind in _PREFIX:
        name = _PREFIX[kind]
        if name.endswith("R") and value == RZ:
            return f"{name}Z"
        return f"{name}T" if name.endswith("P") and value == PT else f"{name}{value}"
    if kind in (OperandKind.IMMEDIATE, OperandKind.LABEL):
        return operand.name or hex(value)
    if kind is OperandKind.FLOAT:
        return repr(operand.number)
    if kind is OperandKind.CONSTANT:
        bank = f"cx[{render(operand.uniform)}]" if operand.uniform else f"c[{operand.bank:#x}]"
        return f"{bank}[{address(operand.base, None, value)}]"
    if kind is OperandKind.MEMORY:
        where = f"desc[{render(operand.descriptor)}]" if operand.descriptor else ""
        return f"{where}[{address(operand.base, operand.uniform, value)}]"
    return operand.name


def address(base: Operand | None, uniform: Operand | None, offset: int) -> str:
    terms = [render(term) for term in (base, uniform) if term is not None]
    return "+".join([*terms, hex(offset)] if offset or not terms else terms)


def canonical(text: str) -> str:
    """Bring the two ways of writing one thing together."""
    text = text.replace("|.reuse", "|").replace(".reuse", "")
    text = re.sub(r"(?<![\w.|])\|(\w+)\|((?:\.\w+)*)", r"|\1|\2", text)
    if re.fullmatch(r"[+-]?(INF|QNAN)", text):
        return text.lower().replace("qnan", "nan").lstrip("+").replace("-nan", "nan")
    if re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", text):
        return repr(float(text))
    return text


@on_every_kernel
def test_every_operand_is_rendered_back_from_its_fields(entry: str, architecture: int) -> None:
    seen = set()
    for instruction in compiled(entry, architecture).instructions:
        for operand in instruction.operands:
            assert canonical(render(operand)) == canonical(operand.text), instruction.text
            seen.add(operand.kind)
            if operand.kind is OperandKind.OTHER:
                assert operand.text == "PR", instruction.text  # all predicates as one word
    assert {OperandKind.REGISTER, OperandKind.MEMORY, OperandKind.CONSTANT} <= seen


@on_every_kernel
def test_text_is_what_the_disassembler_prints(entry: str, architecture: int) -> None:
    kernel = compiled(entry, architecture)
    expected = printed(entry, architecture)
    assert len(expected) == len(kernel.instructions)
    for instruction, (at, text, _, _) in zip(kernel.instructions, expected, strict=True):
        assert instruction.address == at
        assert same_words(instruction.text, text), (instruction.text, text)


def same_words(ours: str, theirs: str) -> bool:
    """Equal but for branch targets, which plain text gives as labels of its own."""
    mine, other = re.split(r"[ ,]+", ours.strip()), re.split(r"[ ,]+", theirs.strip())
    return len(mine) == len(other) and all(
        a == b or b.startswith("`(") for a, b in zip(mine, other, strict=True)
    )


@on_every_kernel
def test_source_lines_are_those_of_the_disassembler(entry: str, architecture: int) -> None:
    rows = zip(
        compiled(entry, architecture).instructions, printed(entry, architecture), strict=True
    )
    for instruction, (_, text, file, line) in rows:
        assert instruction.source is not None, text
        assert instruction.source.line == line, text
        assert Path(instruction.source.file).name == Path(file).name


@on_every_kernel
def test_branch_targets_lie_inside_the_kernel(entry: str, architecture: int) -> None:
    kernel = compiled(entry, architecture)
    for instruction in kernel.instructions:
        if instruction.opcode in ("BRA", "BSSY", "CALL", "RET"):
            (target,) = (o for o in instruction.operands if o.kind is OperandKind.LABEL)
            assert kernel.instruction_at(target.value).address == target.value


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_nan_has_the_bits_of_its_encoding(architecture: int) -> None:
    operands = [o for i in compiled("floats", architecture).instructions for o in i.operands]
    found = [o for o in operands if o.kind is OperandKind.FLOAT and math.isnan(o.number)]
    assert found
    for operand in found:
        sign = 0x8000_0000 * operand.text.startswith("-")
        assert operand.value & 0xFFC0_0000 == sign | 0x7FC0_0000  # quiet: top mantissa bit set


def test_recursive_call_is_resolved_to_the_function() -> None:
    """A call names a function; its address must be where its first instruction stands."""
    kernel = compiled("control", 89)
    calls = [i for i in kernel.instructions if i.opcode == "CALL" and len(i.operands) == 1]
    targets = {i.operands[0].name: i.operands[0].value for i in calls}
    (address,) = (value for name, value in targets.items() if "deep" in name)
    before = [i for i in kernel.instructions if i.address < address]
    assert before[-1].opcode in ("BRA", "RET", "EXIT", "NOP")
