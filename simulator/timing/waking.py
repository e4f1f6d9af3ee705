"""When warps can issue, in a row of short numbers a sub-core that is looked through at once.

They are cycles since ``EPOCH``, which moves along: a warp may have to wait for half a second.
"""

from __future__ import annotations

from simulator.jit import constant, inlined, int64
from simulator.timing.scan import due
from simulator.timing.state import EPOCH, NEVER, PLACES, SUBCORES, Sm

LATE = constant((1 << 31) - 1)  # of a warp of which nothing is known, or that is far from its turn
_LONG = constant(1 << 30)


@inlined
def book(sm: Sm, subcore: int, place: int, time: int) -> None:
    """Note when a warp can issue, as far as known."""
    sm.wake[subcore, place] = min(time - sm.clock[EPOCH], LATE)


@inlined
def fall_asleep(sm: Sm, subcore: int, place: int) -> None:
    """Of a warp it is not known when it can issue."""
    sm.wake[subcore, place] = LATE


@inlined
def find_due(sm: Sm, subcore: int, now: int) -> tuple[int, int]:
    """The places of a sub-core whose warps can issue, one bit each, and when the next of the others
    can (NEVER: of none is it known)."""
    epoch = sm.clock[EPOCH]
    bits, later = due(sm.wake, subcore, now - epoch)
    return bits, int64(epoch + later if later < LATE else NEVER)


@inlined
def move_epoch(sm: Sm, now: int) -> None:
    """Have times counted from now on, if they have become long."""
    passed = now - sm.clock[EPOCH]
    if passed < _LONG:
        return
    sm.clock[EPOCH] = now
    for subcore in range(SUBCORES):
        for place in range(PLACES):
            time = int64(sm.wake[subcore, place])
            if time < LATE:
                sm.wake[subcore, place] = max(time - passed, int64(-1))
