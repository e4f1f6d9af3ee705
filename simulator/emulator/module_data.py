"""``__device__`` variables of a module: where they lie and whose addresses the code reads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.arena import Arena
from simulator.errors import UnsupportedError
from simulator.isa.kernel import Kernel, Relocation

_WHOLE_ADDRESS = (2, 4)  # ELF relocation types that write all 64 bits
_CONSTANT = ".nv.constant"
_VARIABLES = ".nv.global.init"
OUTSIDE = 0x7F000000  # code addresses of functions outside the cubin, one every 16 bytes


def module_variables(kernel: Kernel) -> dict[str, tuple[int, NDArray[np.uint8]]]:
    """Offset in the module's data and initial bytes of each variable that relocations name."""
    found = {}
    for name in sorted({r.symbol for r in kernel.relocations} & set(kernel.global_symbols)):
        start, size, initial = kernel.global_symbols[name]
        data = np.zeros(size, dtype=np.uint8)
        data[: len(initial)] = np.frombuffer(initial, np.uint8)
        found[name] = start, data
    return found


def outside_functions(kernel: Kernel) -> list[str]:
    """Functions that the GPU's system provides: printf's, malloc, what a failed assert calls.

    Their addresses are those of no code; the error for going there names them.
    """
    known = {*kernel.global_symbols, *kernel.functions}
    return sorted({r.symbol for r in kernel.relocations if r.symbol} - known)


def relocated_banks(kernel: Kernel, arena: Arena, first: dict[str, int]) -> dict[int, bytes]:
    """Constant banks with the variables' addresses filled in; those in variables are as well.

    ``first`` maps a variable to its index in the arena. Raises UnsupportedError for an
    address in a place this model does not fill.
    """
    outside = outside_functions(kernel)
    banks = {number: bytearray(data) for number, data in kernel.constants.items()}
    for item in kernel.relocations:
        if item.kind not in _WHOLE_ADDRESS:
            raise _unknown(kernel, item)
        if item.symbol in first:
            target = arena.device_address(first[item.symbol])
        elif item.symbol in kernel.functions:
            target = kernel.functions[item.symbol]
        elif item.symbol in outside:
            target = OUTSIDE + 16 * outside.index(item.symbol)
        else:
            raise _unknown(kernel, item)
        address = (target + item.addend).to_bytes(8, "little")
        number = item.section.removeprefix(_CONSTANT).split(".")[0]
        if item.section.startswith(_CONSTANT) and number.isdigit():
            banks[int(number)][item.offset : item.offset + 8] = address
        elif item.section == _VARIABLES:
            _write_variable(kernel, arena, first, item.offset, address)
        else:
            raise _unknown(kernel, item)
    return {number: bytes(data) for number, data in banks.items()}


def _write_variable(
    kernel: Kernel, arena: Arena, first: dict[str, int], offset: int, value: bytes
) -> None:
    """Write an address at an offset of the initialised variables, where the kernel uses that one.

    Initialised variables come first in a module's global data.
    """
    for name, index in first.items():
        start, size, initial = kernel.global_symbols[name]
        if initial and start <= offset < start + size:
            place = int(arena.spans[index, 0]) + offset - start
            arena.memory[place : place + len(value)] = np.frombuffer(value, np.uint8)


def _unknown(kernel: Kernel, item: Relocation) -> UnsupportedError:
    return UnsupportedError(
        f"relocation {item.kind} of {item.symbol}", item.offset, item.section,
        f"address of {item.symbol} in kernel {kernel.name}",
    )  # fmt: skip
