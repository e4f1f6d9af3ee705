"""``__device__`` variables of a module: where they lie and whose addresses the code reads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.emulator.arena import Arena
from simulator.errors import UnsupportedError
from simulator.isa.kernel import Kernel, Relocation

_WHOLE_ADDRESS = (2, 4)  # ELF relocation types that write all 64 bits
_CONSTANT = ".nv.constant"


def symbol_buffers(kernel: Kernel) -> dict[str, NDArray[np.uint8]]:
    """One buffer a variable that the kernel's relocations name, with its initial bytes."""
    found = {}
    for name in sorted({r.symbol for r in kernel.relocations} & set(kernel.global_symbols)):
        _, size, initial = kernel.global_symbols[name]
        data = np.zeros(size, dtype=np.uint8)
        data[: len(initial)] = np.frombuffer(initial, np.uint8)
        found[name] = data
    return found


def relocated_banks(kernel: Kernel, arena: Arena, first: dict[str, int]) -> dict[int, bytes]:
    """Constant banks with the variables' addresses filled in.

    ``first`` maps a variable to its buffer's index in the arena. Raises UnsupportedError for an
    address in a place this model does not fill.
    """
    banks = {number: bytearray(data) for number, data in kernel.constants.items()}
    for item in kernel.relocations:
        number = item.section.removeprefix(_CONSTANT).split(".")[0]
        known = item.kind in _WHOLE_ADDRESS and item.symbol in first and number.isdigit()
        if not (item.section.startswith(_CONSTANT) and known):
            raise _unknown(kernel, item)
        value = arena.device_address(first[item.symbol]) + item.addend
        bank = banks[int(number)]
        bank[item.offset : item.offset + 8] = value.to_bytes(8, "little")
    return {number: bytes(data) for number, data in banks.items()}


def _unknown(kernel: Kernel, item: Relocation) -> UnsupportedError:
    return UnsupportedError(
        f"relocation {item.kind} of {item.symbol}", item.offset, item.section,
        f"address of {item.symbol} in kernel {kernel.name}",
    )  # fmt: skip
