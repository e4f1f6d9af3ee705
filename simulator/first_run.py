"""Whether the simulator's inner loops are compiled yet: the very first replay compiles them."""

from __future__ import annotations

from simulator.jit.objects import is_kept

MESSAGE = (
    "First run: compiling the simulator itself, which takes up to half a minute; "
    "later runs start at once."
)


def is_compiled() -> bool:
    """Whether machine code of the present sources is kept from an earlier replay."""
    from simulator.emulator.runtime import scheduler  # a page that only prints help needs none

    return is_kept(scheduler.__name__)
