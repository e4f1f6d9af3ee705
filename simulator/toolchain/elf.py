"""What the ELF container of a cubin says about its kernels beside the machine code."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from simulator.errors import CubinError
from simulator.toolchain import info

_MACHINE_CUDA = 190
_ENTRY_FLAG = 0x10  # STO_CUDA_ENTRY in st_other
_OTHER_OFFSET = 5  # of st_other in a 64-bit symbol table entry
_SYMBOL_BYTES = 24
_RELOCATABLE = "ET_REL"
_DAMAGE = (
    *(ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError),
    struct.error,
)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol with the section that holds it."""

    name: str
    section: str
    offset: int
    size: int
    is_entry: bool
    is_function: bool


@dataclass(frozen=True, slots=True)
class ElfRelocation:
    """An address the loader writes: where, and of which symbol."""

    section: str
    offset: int
    kind: int
    symbol: str
    addend: int


@dataclass(frozen=True, slots=True)
class EntryInfo:
    """Attributes of one kernel; ``parameters`` are (byte offset, byte size) in order."""

    registers: int
    stack_bytes: int
    barriers: int
    parameters: tuple[tuple[int, int], ...]
    parameter_base: int
    max_threads: int | None


@dataclass(frozen=True, slots=True)
class CubinImage:
    """A cubin taken apart: sections with their bytes, symbols, relocations.

    ``sizes`` also has the sections without bytes (shared memory, zeroed globals).
    """

    sections: Mapping[str, bytes] = field(repr=False)
    sizes: Mapping[str, int]
    symbols: tuple[Symbol, ...]
    relocations: tuple[ElfRelocation, ...]

    @property
    def entries(self) -> tuple[str, ...]:
        """Names of the kernels in symbol order."""
        return tuple(symbol.name for symbol in self.symbols if symbol.is_entry)


def read_cubin(data: bytes, what: str = "the file") -> CubinImage:
    """Take a cubin apart; ``what`` names it in errors.

    Raises:
        CubinError: the bytes are no cubin, or no linked one; the message says what they are.
    """
    _refuse_other_files(data, what)
    # pyelftools takes 30 ms to import; a page that only prints help should not pay it.
    from elftools.elf.elffile import ELFFile

    with _damage_named(what):
        elf = ELFFile(io.BytesIO(data))
        _check_header(elf, what)
        return _read_image(elf)


def entry_info(image: CubinImage, entry: str) -> EntryInfo:
    """Attributes of one kernel from ``.nv.info`` and ``.nv.info.<entry>``.

    Raises:
        CubinError: an attribute has another shape than its number says.
    """
    with _damage_named(f"kernel {entry}"):
        return _read_info(image, entry)


@contextmanager
def _damage_named(what: str) -> Iterator[None]:
    """Turn whatever a reader trips over in damaged bytes into an error that names the file."""
    from elftools.common.exceptions import ELFError

    try:
        yield
    except (ELFError, *_DAMAGE) as error:
        raise CubinError(f"{what} is damaged ({error}); build the cubin again") from error


def _read_info(image: CubinImage, entry: str) -> EntryInfo:
    own = list(info.read_attributes(image.sections.get(f".nv.info.{entry}", b"")))
    base = next((info.words(a)[1] & 0xFFFF for a in own if a.number == info.PARAM_CBANK), 0)
    threads = [info.words(a) for a in own if a.number in (info.MAX_THREADS, info.REQUIRED_THREADS)]
    return EntryInfo(
        registers=_by_symbol(image, entry, info.REGISTER_COUNT),
        stack_bytes=max(
            _by_symbol(image, entry, info.FRAME_SIZE),
            _by_symbol(image, entry, info.MIN_STACK_SIZE),
        ),
        barriers=max((a.value & 0xFF for a in own if a.number == info.BARRIER_COUNT), default=0),
        parameters=_parameters(own),
        parameter_base=base,
        max_threads=min((x * y * z for x, y, z in threads), default=None),
    )


def _parameters(own: list[info.Attribute]) -> tuple[tuple[int, int], ...]:
    numbers = (info.PARAMETER, info.PARAMETER_LARGE)
    found = sorted(info.read_parameter(a) for a in own if a.number in numbers)
    return tuple((offset, size) for _, offset, size in found)


def _by_symbol(image: CubinImage, entry: str, number: int) -> int:
    """Value of a (symbol index, value) attribute of the module; 0 when absent or unknown."""
    for attribute in info.read_attributes(image.sections.get(".nv.info", b"")):
        if attribute.number == number:
            index, value = info.words(attribute)
            if image.symbols[index].name == entry:
                return value if value < 1 << 31 else 0
    return 0


def _refuse_other_files(data: bytes, what: str) -> None:
    kind = _other_kind(data)
    if kind:
        raise CubinError(f"{what} is {kind}; make a cubin of it with 'nvcc -cubin -arch=sm_XX'")


def _other_kind(data: bytes) -> str | None:
    """A file that is no ELF, in words; None for an ELF."""
    if data[:4] == b"\x7fELF":
        return None
    if data[:4] == b"\x50\xed\x55\xba":
        return "a fatbin, which bundles cubins"
    if b".version" in data[:4096] and b".target" in data[:4096]:
        return "PTX text, not machine code"
    if data[:7] == b"!<arch>" or data[:2] == b"MZ":
        return "a host library or program"
    return "no cubin (it does not start as an ELF file)" if data else "empty"


def _check_header(elf: Any, what: str) -> None:
    machine = elf.header["e_machine"]
    if machine not in ("EM_CUDA", _MACHINE_CUDA):
        raise CubinError(
            f"{what} is host code ({machine}), not a cubin; extract its cubins with "
            "'cuobjdump -xelf all FILE'"
        )
    if elf.header["e_type"] == _RELOCATABLE:
        raise CubinError(
            f"{what} is a relocatable cubin; link it with 'nvlink' or compile without -rdc=true"
        )


def _read_image(elf: Any) -> CubinImage:
    sections = list(elf.iter_sections())
    names = [section.name for section in sections]
    symbols = _read_symbols(sections, names)
    return CubinImage(
        sections={s.name: s.data() for s in sections if s["sh_type"] != "SHT_NOBITS"},
        sizes={s.name: s["sh_size"] for s in sections},
        symbols=symbols,
        relocations=_read_relocations(sections, names, symbols),
    )


def _read_symbols(sections: list[Any], names: list[str]) -> tuple[Symbol, ...]:
    table = next((s for s in sections if s.name == ".symtab"), None)
    if table is None:
        return ()
    raw = table.data()
    return tuple(
        _read_symbol(entry, raw[index * _SYMBOL_BYTES + _OTHER_OFFSET], names)
        for index, entry in enumerate(table.iter_symbols())
    )


def _read_symbol(entry: Any, other: int, names: list[str]) -> Symbol:
    home = entry["st_shndx"]
    is_function = entry["st_info"]["type"] == "STT_FUNC"
    return Symbol(
        name=entry.name,
        section=names[home] if isinstance(home, int) and home < len(names) else "",
        offset=entry["st_value"],
        size=entry["st_size"],
        is_entry=is_function and bool(other & _ENTRY_FLAG),
        is_function=is_function,
    )


def _read_relocations(
    sections: list[Any], names: list[str], symbols: tuple[Symbol, ...]
) -> tuple[ElfRelocation, ...]:
    found = []
    for section in sections:
        if section["sh_type"] in ("SHT_REL", "SHT_RELA") and "debug" not in section.name:
            target = names[section["sh_info"]]
            for item in section.iter_relocations():
                addend = item["r_addend"] if item.is_RELA() else 0
                symbol = symbols[item["r_info_sym"]].name
                kind = item["r_info_type"]
                found.append(ElfRelocation(target, item["r_offset"], kind, symbol, addend))
    return tuple(found)
