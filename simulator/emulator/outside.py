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
    source = caller.source
    place = f"{source.file}:{source.line}" if source else f"instruction {caller.address:#x}"
    names = outside_functions(kernel)
    index = (address - OUTSIDE) // INSTRUCTION_BYTES
    if not 0 <= index < len(names):
        return ReplayError(
            f"kernel {kernel.name}: block {block} jumps to {address:#x}, where there is no code "
            f"({place}); check its function pointers"
        )
    does, way_out = _MEANINGS.get(names[index], (f"calls {names[index]}", "leave the call out"))
    return ReplayError(
        f"kernel {kernel.name} {does} in block {block} ({place}), which a replay does not do; "
        f"{way_out}"
    )
