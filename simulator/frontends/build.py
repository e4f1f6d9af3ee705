"""The one way from a cubin to a Kernel, shared by every front end."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from simulator.errors import CubinError
from simulator.frontends.linking import Part, code_parts, function_addresses
from simulator.frontends.spilled import find_spills
from simulator.isa.decode import decode_instruction
from simulator.isa.kernel import (
    INSTRUCTION_BYTES,
    RZ,
    Instruction,
    Kernel,
    OperandKind,
    Parameter,
    Relocation,
    SourceLine,
    Spills,
)
from simulator.toolchain.elf import CubinImage, entry_info
from simulator.toolchain.nvdisasm import disassemble
from simulator.toolchain.ptxas_log import Resources

_GLOBAL_SECTIONS = (".nv.global.init", ".nv.global")
_RESERVED_SHARED_BYTES = 0x400  # sm_90 and later keep the first KiB of shared memory


def build_kernel(
    cubin: bytes,
    image: CubinImage,
    entry: str,
    *,
    compiler: str = "",
    resources: Resources | None = None,
    names: Mapping[str, str] | None = None,
    source_text: Mapping[str, str] | None = None,
) -> Kernel:
    """Build the Kernel of one entry.

    ``names`` renames source files of the line table (path as written there -> name shown);
    ``resources`` are ptxas' numbers where its log is at hand.

    Raises:
        CubinError: the code section and its disassembly do not fit together.
    """
    parts = code_parts(image, entry)
    functions = function_addresses(image, parts)
    document = disassemble(cubin)
    instructions = _instructions(document, parts, functions, names or {})
    found = entry_info(image, entry)
    constants = _constants(image, entry)
    architecture, made_by = _architecture(document), _producer(document)
    return Kernel(
        name=entry,
        architecture=architecture,
        instructions=instructions,
        registers=_registers(found.registers, resources, instructions),
        static_shared_bytes=_shared_bytes(image, entry, architecture),
        stack_bytes=max(found.stack_bytes, resources.stack_bytes if resources else 0),
        barriers=found.barriers,
        parameters=tuple(
            Parameter(index, offset, size) for index, (offset, size) in enumerate(found.parameters)
        ),
        parameter_base=found.parameter_base,
        cubin=cubin,
        program_hash=_program_hash(b"".join(p.code for p in parts), constants),
        compiler=compiler or made_by,
        spills=_spills(resources) or find_spills(image, parts, instructions, made_by),
        constants=constants,
        global_symbols=_global_symbols(image),
        relocations=_relocations(image, parts, functions),
        functions=dict(functions),
        source_text=dict(source_text or {}),
        max_threads=found.max_threads,
    )


def _instructions(
    document: list[Any],
    parts: Sequence[Part],
    functions: Mapping[str, int],
    names: Mapping[str, str],
) -> tuple[Instruction, ...]:
    files = _files(document, names)
    return tuple(i for part in parts for i in _decoded(document, part, functions, files))


def _registers(
    linked: int, resources: Resources | None, instructions: tuple[Instruction, ...]
) -> int:
    """Registers a thread: the ELF counts those of called functions in, ptxas' log does not.

    No fewer than the code names, as a replay keeps so many.
    """
    named = (
        operand.value + 1
        for i in instructions
        for operand in i.operands
        if operand.kind is OperandKind.REGISTER and operand.value != RZ
    )
    return max(linked, resources.registers if resources else 0, max(named, default=0))


def _decoded(
    document: list[Any], part: Part, functions: Mapping[str, int], files: list[str]
) -> Iterator[Instruction]:
    """The instructions of one code section."""
    rows: list[Any] = next(
        (f["sass-instructions"] for f in document[1] if f["function-name"] == part.name), []
    )
    if not rows or len(rows) * INSTRUCTION_BYTES != len(part.code):
        raise CubinError(
            f"kernel {part.name} has {len(part.code)} bytes of code but {len(rows)} disassembled "
            "instructions; build the cubin again for sm_80 or later"
        )
    for number, (row, line) in enumerate(zip(rows, _source_lines(rows, files), strict=True)):
        yield decode_instruction(
            part.base // INSTRUCTION_BYTES + number,
            row["opcode"],
            row.get("operands", ""),
            row.get("predicate", ""),
            part.code[number * INSTRUCTION_BYTES : (number + 1) * INSTRUCTION_BYTES],
            functions,
            line,
            part.base,
        )


def _files(document: list[Any], names: Mapping[str, str]) -> list[str]:
    table = document[2] if len(document) > 2 else {}
    directories = table.get("directories", [])
    found = []
    for item in table.get("files", []):
        index = item.get("dir-idx", -1)
        directory = directories[index] if 0 <= index < len(directories) else ""
        path = str(PurePosixPath(directory.replace("\\", "/"), item["file"].replace("\\", "/")))
        found.append(names.get(path, names.get(item["file"], path)))
    return found


def _source_lines(rows: list[Any], files: list[str]) -> Iterator[SourceLine | None]:
    """Line of each instruction; one without a line of its own continues the one before."""
    line = None
    for row in rows:
        if "source-line" in row:
            line = SourceLine(files[row["source-file-id"]], row["source-line"])
        yield line


def _architecture(document: list[Any]) -> int:
    version = document[0]["SM"]["version"]
    return int(version["major"]) * 10 + int(version["minor"])


def _producer(document: list[Any]) -> str:
    note = document[0].get(".note.nv.tkinfo", {})
    return f"{note.get('tki_toolName', '')} {note.get('tki_toolVersion', '')}".strip()


def _shared_bytes(image: CubinImage, entry: str, architecture: int) -> int:
    """Static shared bytes of the source: the section's size without the reserved part.

    (nvJitLink writes no section of its own for that part, other compilers do.)
    """
    size = image.sizes.get(f".nv.shared.{entry}", 0)
    reserved = _RESERVED_SHARED_BYTES if architecture >= 90 else 0
    return max(size - reserved, 0)


def _constants(image: CubinImage, entry: str) -> dict[int, bytes]:
    prefix = ".nv.constant"
    found = {}
    for name, data in image.sections.items():
        bank, _, owner = name.removeprefix(prefix).partition(".")
        if name.startswith(prefix) and bank.isdigit() and owner in ("", entry):
            found[int(bank)] = data
    return found


def _program_hash(code: bytes, constants: Mapping[int, bytes]) -> str:
    digest = hashlib.sha256(code)
    for bank, data in sorted(constants.items()):
        digest.update(bank.to_bytes(4, "little") + len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def _spills(resources: Resources | None) -> Spills | None:
    if resources is None:
        return None
    return Spills(resources.spill_store_bytes, resources.spill_load_bytes)


def _global_symbols(image: CubinImage) -> dict[str, tuple[int, int, bytes]]:
    """Variables of the module: offset in the module's global data, size, initial bytes."""
    start = 0
    found = {}
    for section in _GLOBAL_SECTIONS:
        data = image.sections.get(section, b"")
        for symbol in image.symbols:
            if symbol.section == section and symbol.size:
                end = symbol.offset + symbol.size
                found[symbol.name] = (start + symbol.offset, symbol.size, data[symbol.offset : end])
        start += -(-image.sizes.get(section, 0) // 256) * 256
    return found


def _relocations(
    image: CubinImage, parts: Sequence[Part], functions: Mapping[str, int]
) -> tuple[Relocation, ...]:
    """Addresses to fill in, in this kernel's code, in constant banks and in global data.

    Functions' addresses in code are filled in already: the disassembler names them.
    """
    code = {f".text.{part.name}" for part in parts}
    return tuple(
        Relocation(item.section, item.offset, item.kind, item.symbol, item.addend)
        for item in image.relocations
        if (item.section in code and item.symbol not in functions)
        or item.section in _GLOBAL_SECTIONS
        or item.section.startswith(".nv.constant")
    )
