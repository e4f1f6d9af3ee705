"""What a replay ends in: one immutable result that can be saved and loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:  # they are computed from a run
    from simulator.intensity import Intensity
    from simulator.roofline import Roofline


class Status(str, Enum):
    """How far a number can be trusted."""

    EXACT = "exact"
    BOUNDED = "bounded"
    UNMODELLED = "unmodelled"


@dataclass(frozen=True, slots=True)
class Counter:
    """One number of a run with its unit and status."""

    value: float
    unit: str
    status: Status


@dataclass(frozen=True, slots=True)
class InstructionRecord:
    """Counts of one SASS instruction over the whole launch.

    ``executed`` counts warps (ncu's inst_executed), ``thread_executed`` active lanes,
    ``thread_executed_predicated_on`` those whose guard held. Shared wavefronts come three ways:
    as ncu's source page counts them (``shared_wavefronts``), its ideal, and as the hardware
    counters do (``shared_wavefronts_hardware``, by address: without arbitration).
    """

    index: int
    pc: int
    sass: str
    opcode: str
    source_file: str | None
    source_line: int | None
    executed: int = 0
    thread_executed: int = 0
    thread_executed_predicated_on: int = 0
    shared_requests: int = 0
    shared_wavefronts: int = 0
    shared_wavefronts_ideal: int = 0
    shared_wavefronts_hardware: int = 0
    bank_conflicts: int = 0
    global_requests: int = 0
    global_sectors: int = 0
    global_sectors_ideal: int = 0
    global_tags: int = 0
    local_requests: int = 0
    local_sectors: int = 0
    local_tags: int = 0


@dataclass(frozen=True, slots=True)
class SharedExample:
    """The worst shared request of one instruction: what a page explains in words.

    ``offsets`` are 32 byte offsets, ``lane_mask`` says which count.
    """

    instruction: int
    lane_mask: int
    offsets: tuple[int, ...]
    width_bytes: int
    wavefronts: int


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong the replay saw: an access outside a buffer, a race, a lost barrier."""

    check: str
    message: str
    kernel: str
    pc: int
    source_file: str | None
    source_line: int | None
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    address: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class Sampling:
    """Which blocks were replayed and why they stand for the launch.

    ``argument`` is "all blocks", "proved" or "checked" with one sentence in ``reason``.
    """

    blocks_total: int
    blocks_replayed: int
    argument: str
    reason: str


@dataclass(frozen=True, slots=True)
class Occupancy:
    """How many blocks of a launch an SM holds at once, and what limits them.

    ``limit_*`` are blocks an SM could hold if nothing else limited them (ncu's
    launch__occupancy_limit_*), ``limiters`` names those that bind. ``registers_allocated`` are
    those of the block's warps over its threads, ``shared_bytes_allocated`` a block's with reserve and rounding.
    ``carveout_bytes`` is what the driver gives shared memory of an SM's memory (bounded where the
    driver's choice was not measured), ``l1_bytes`` what is left for L1. ``waves`` is the number of
    times the grid fills the GPU. ``better_registers`` and ``better_shared_bytes`` are the most
    registers a thread and shared bytes a block with which an SM would hold more blocks; None when
    less of that alone would not do.
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

    @property
    def share(self) -> float:
        """Resident warps of those an SM can hold, 0 to 1."""
        return self.warps_per_sm / self.max_warps_per_sm


@dataclass(frozen=True)
class Run:
    """The result of one replay."""

    kernel: str
    device: str
    architecture: int
    program_hash: str
    compiler: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared_bytes: int
    static_shared_bytes: int
    registers: int
    spill_store_bytes: int | None
    spill_load_bytes: int | None
    sampling: Sampling
    instructions: tuple[InstructionRecord, ...]
    counters: Mapping[str, Counter]
    examples: tuple[SharedExample, ...] = ()
    findings: tuple[Finding, ...] = ()
    source_text: Mapping[str, str] = field(default_factory=dict, repr=False)
    outputs: Mapping[int, NDArray[Any]] = field(default_factory=dict, repr=False)
    seconds: float = 0.0
    occupancy: Occupancy | None = None

    def save(self, path: str | PathLike[str], outputs: bool = False) -> None:
        """Write the run to a JSON file; see :func:`simulator.storage.save_run`."""
        from simulator.storage import save_run  # it reads this module: import when needed

        save_run(self, path, outputs)

    @property
    def intensity(self) -> Intensity:
        """Floating-point operations a byte at every level of memory."""
        from simulator.intensity import find_intensity

        return find_intensity(self)

    @property
    def roofline(self) -> Roofline:
        """What each part of the GPU needs at least, and which one binds.

        Raises:
            UnknownNameError: the run's device has no data file here.
        """
        from simulator.roofline import find_roofline

        return find_roofline(self)


COUNT_FIELDS = tuple(
    name
    for name in InstructionRecord.__dataclass_fields__
    if name not in ("index", "pc", "sass", "opcode", "source_file", "source_line")
)
