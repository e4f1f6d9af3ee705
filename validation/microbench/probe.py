"""What a probe is: a kernel, how it is launched and what is kept of it.

A ``clock`` probe is launched with two trip counts; its figure is the difference of the slowest
warp's cycles divided by the difference in trips. A ``trips`` probe keeps every number the kernel
wrote. A ``time`` probe keeps the microseconds of a launch in a graph of them (warm). A ``profile``
probe runs under ncu with flushed caches and keeps counters and the numbers the kernel wrote.
"""

from __future__ import annotations

from dataclasses import dataclass

CLOCK, TRIPS, TIME, PROFILE = "clock", "trips", "time", "profile"


@dataclass(frozen=True, slots=True)
class Probe:
    """One launch: ``trips`` are the two trip counts (or one, for the other ways)."""

    kernel: str
    way: str
    grid: int
    threads: int
    trips: tuple[int, ...]
    parameter: int = 0
    shared_bytes: int = 0

    @property
    def name(self) -> str:
        """A name that tells probes apart."""
        tail = f"-s{self.shared_bytes}" if self.shared_bytes else ""
        trips = f"-n{self.trips[0]}" if self.way != CLOCK else ""
        cold = "-cold" if self.way == PROFILE else ""
        return f"{self.kernel}-g{self.grid}-t{self.threads}-p{self.parameter}{trips}{tail}{cold}"
