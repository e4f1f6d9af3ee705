"""Errors for code that goes where a cubin has none: functions of the GPU's system."""

from __future__ import annotations

from simulator.emulator.module_data import OUTSIDE, outside_functions
from simulator.errors import ReplayError
from simulator.isa.kernel import INSTRUCTION_BYTES, Instruction, Kernel

# What a function is in CUDA C++, and what to do about it.
_MEANINGS = {
    "vprintf": ("calls printf", "leave it out of the kernel, for example with #ifdef"),
    "__assertfail": ("fails an assertion", "mend the kernel or its arguments, or use -DNDEBUG"),
    "malloc": ("allocates memory (malloc, new)", "give it a buffer instead"),
    "free": ("frees memory (free, delete)", "give it a buffer instead"),
}


def stray_error(kernel: Kernel, block: int, address: int, caller: Instruction) -> ReplayError:
    """The error for lanes of a block that go to ``address``; ``caller``: the last indirect call."""
    names = outside_functions(kernel)
    index = (address - OUTSIDE) // INSTRUCTION_BYTES
    if not 0 <= index < len(names):
        return ReplayError(
            f"kernel {kernel.name}: block {block} jumps to {address:#x}, where there is no code "
            f"({caller.place}); check its function pointers"
        )
    where = f"in block {block} ({caller.place})"
    return outside_error(f"kernel {kernel.name}", names[index], where)


def outside_error(who: str, function: str, where: str) -> ReplayError:
    """The error for code that calls a function of the GPU's system."""
    does, way_out = _MEANINGS.get(function, (f"calls {function}", "leave the call out"))
    return ReplayError(f"{who} {does} {where}, which a replay does not do; {way_out}")
