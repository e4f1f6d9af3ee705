"""Changed machine code: calls of slow paths left out, so that the test before them shows."""

from __future__ import annotations

from simulator.isa.kernel import INSTRUCTION_BYTES, Kernel
from simulator.toolchain.elf import read_cubin

from ..errors import MeasureError


def without_calls(kernel: Kernel) -> bytes:
    """The kernel's cubin with every CALL replaced by a NOP of its own code.

    A division takes its slow path where FCHK says so; without the call the numerator, which lies
    in the register of the result, is stored there instead of the quotient.
    """
    section = read_cubin(kernel.cubin, "the probe").sections[f".text.{kernel.name}"]
    start = kernel.cubin.find(section)
    nop = next((i for i in kernel.instructions if i.opcode == "NOP"), None)
    calls = [i for i in kernel.instructions if i.opcode == "CALL"]
    if nop is None or not calls or start < 0:
        raise MeasureError(f"{kernel.name} has no CALL and NOP to exchange")
    code = bytearray(kernel.cubin)
    filler = section[nop.address : nop.address + INSTRUCTION_BYTES]
    for call in calls:
        place = start + call.address
        code[place : place + INSTRUCTION_BYTES] = filler
    return bytes(code)
