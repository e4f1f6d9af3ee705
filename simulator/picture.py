"""Parts of a result that are derived from its counts: occupancy, intensity, roofline."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.status import Status


@dataclass(frozen=True, slots=True)
class Occupancy:
    """How many blocks of a launch an SM holds at once, and what limits them.

    ``limit_*`` are blocks an SM could hold if nothing else limited them (ncu's
    launch__occupancy_limit_*), ``limiters`` names those that bind. ``registers_allocated`` are
    those of the block's warps over its threads, ``shared_bytes_allocated`` are a block's with
    reserve and rounding. ``carveout_bytes`` is what the driver gives shared memory of an SM's
    memory (bounded where the driver's choice was not measured), ``l1_bytes`` what is left for L1.
    ``waves`` is the number of times the grid fills the GPU. ``better_registers`` and
    ``better_shared_bytes`` are the most registers a thread and shared bytes a block with which an
    SM would hold more blocks, and ``better_*_blocks`` how many then; None when less of that alone
    would not do.
    """

    blocks_per_sm: int
    warps_per_sm: int
    max_warps_per_sm: int
    limit_registers: int
    limit_shared: int
    limit_warps: int
    limit_blocks: int
    limit_barriers: int
    limiters: tuple[str, ...]
    registers_allocated: int
    shared_bytes_allocated: int
    carveout_bytes: int
    l1_bytes: int
    carveout_status: Status
    waves: float
    better_registers: int | None
    better_shared_bytes: int | None
    better_registers_blocks: int | None = None
    better_shared_blocks: int | None = None

    @property
    def share(self) -> float:
        """Resident warps of those an SM can hold, 0 to 1."""
        return self.warps_per_sm / self.max_warps_per_sm


@dataclass(frozen=True, slots=True)
class Flops:
    """Floating-point operations of a launch by where they run.

    Half operations whose inputs are all constants only write a constant, and additions of halves
    and zero only convert: they do not count.
    """

    fp16: int
    fp32: int
    fp64: int
    tensor: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.fp16 + self.fp32 + self.fp64 + self.tensor

    def __add__(self, other: Flops) -> Flops:
        """Those of both."""
        return Flops(
            self.fp16 + other.fp16,
            self.fp32 + other.fp32,
            self.fp64 + other.fp64,
            self.tensor + other.tensor,
        )


@dataclass(frozen=True, slots=True)
class Level:
    """Bytes of the launch at one level; None where they are unmodelled.

    ``wavefronts`` are those of shared memory that the bytes take; None at other levels.
    """

    name: str
    bytes: float | None
    flops: int
    status: Status
    wavefronts: int | None = None

    @property
    def flop_per_byte(self) -> float | None:
        """None where unmodelled, and where the level is not used."""
        return self.flops / self.bytes if self.bytes else None

    @property
    def flop_per_wavefront(self) -> float | None:
        """None where the level has no wavefronts."""
        return self.flops / self.wavefronts if self.wavefronts else None


@dataclass(frozen=True, slots=True)
class Intensity:
    """The levels from the thread outwards; ``flops`` are the launch's."""

    flops: Flops
    levels: tuple[Level, ...]

    def level(self, name: str) -> Level:
        """The level of that name."""
        return next(level for level in self.levels if level.name == name)


@dataclass(frozen=True, slots=True)
class Roof:
    """One limit on how fast the launch can be.

    ``amount`` is the work in ``unit``, ``rate`` what is done of it in a cycle (of one SM, or of
    the whole GPU for L2 and DRAM), ``cycles`` the fewest cycles that takes; None where work or
    rate are not known. ``origin`` says where the rate comes from.
    """

    name: str
    amount: float | None
    unit: str
    rate: float | None
    cycles: float | None
    status: Status
    origin: str


@dataclass(frozen=True, slots=True)
class Roofline:
    """All roofs of a launch, in the order of the machine from issue to DRAM.

    ``flops`` is the launch's number of operations, ``peak_flops_per_cycle`` what the GPU's FP32
    units do in a cycle, ``clock_hz`` the boost clock (None where not known).
    """

    roofs: tuple[Roof, ...]
    flops: int
    peak_flops_per_cycle: float
    clock_hz: float | None

    @property
    def ranked(self) -> tuple[Roof, ...]:
        """Roofs whose cycles are known, longest first."""
        known = [roof for roof in self.roofs if roof.cycles]
        return tuple(sorted(known, key=lambda roof: -(roof.cycles or 0)))

    @property
    def binding(self) -> Roof | None:
        """The roof that no schedule can beat; None when nothing is known to be used."""
        return next(iter(self.ranked), None)

    def peak_share(self, roof: Roof) -> float | None:
        """The part of the FP32 peak that a roof allows, at most 1; None where not known."""
        if not roof.cycles or not self.flops:
            return None
        return min(1.0, self.flops / roof.cycles / self.peak_flops_per_cycle)
