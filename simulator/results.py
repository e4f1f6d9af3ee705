"""What a replay ends in: one immutable result that can be saved and loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from numpy.typing import NDArray

from simulator.picture import Flops, Intensity, Level, Occupancy, Roof, Roofline
from simulator.status import Status

__all__ = [
    "COUNT_FIELDS",
    "Counter",
    "Finding",
    "Flops",
    "InstructionRecord",
    "Intensity",
    "Issue",
    "Level",
    "Occupancy",
    "Roof",
    "Roofline",
    "Run",
    "Sampling",
    "SharedExample",
    "Status",
]


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
    counters do (``shared_wavefronts_hardware``, by address: without arbitration). Bytes used are
    the different bytes that the lanes of a request ask for. ``status`` is that of the count that
    can be trusted least.
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
    global_bytes_used: int = 0
    local_requests: int = 0
    local_sectors: int = 0
    local_tags: int = 0
    local_bytes_used: int = 0
    local_sectors_ideal: int = 0
    status: Status = Status.EXACT

    @property
    def global_bytes_used_per_sector(self) -> float:
        """Of a sector's 32 bytes; 0 without sectors."""
        return self.global_bytes_used / self.global_sectors if self.global_sectors else 0.0

    @property
    def local_bytes_used_per_sector(self) -> float:
        """Of a sector's 32 bytes; 0 without sectors."""
        return self.local_bytes_used / self.local_sectors if self.local_sectors else 0.0


@dataclass(frozen=True, slots=True)
class SharedExample:
    """The worst shared request of one instruction: what a page explains in words.

    ``offsets`` are 32 byte offsets, ``lane_mask`` says which count. Those of an asynchronous copy
    are its target; ``sources`` are then the 32 global byte offsets it reads, ``source_mask`` says
    which lanes do (the others write zeros).
    """

    instruction: int
    lane_mask: int
    offsets: tuple[int, ...]
    width_bytes: int
    wavefronts: int
    sources: tuple[int, ...] = ()
    source_mask: int = 0


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

    ``argument`` is "all blocks", "proved", "checked" or "sampled" with one sentence in ``reason``.
    ``chance`` says why a GPU counts something else in every launch, and is empty where it does not.
    """

    blocks_total: int
    blocks_replayed: int
    argument: str
    reason: str
    chance: str = ""

    @property
    def status(self) -> Status:
        """The status of what is exact when every block counts and counts the same each time."""
        scaled = self.argument == "sampled"
        return Status.BOUNDED if scaled or self.chance else Status.EXACT


@dataclass(frozen=True, slots=True)
class Timing:
    """Predicted time of a launch with cold or with warm caches.

    ``microseconds`` with cold caches is what ncu calls ``gpu__time_duration``, with warm ones the
    time of a launch among others like it, back to back. Between ``low_us``
    and ``high_us`` lie four of five times of kernels that nobody has looked at, on the GPU on which
    the model was measured; on others the width is an assumption. ``cycles_active`` is the busiest
    SM's. ``stalls``
    are warp-cycles an issued instruction by ncu's reason, ``instruction_stalls`` warp-cycles by
    instruction index and reason on the SM that was simulated, ``busy`` the share of active cycles
    in which a resource works. ``speed_of_light`` is what ncu's section of that name gives: for
    ``sm`` the busiest of issue slots and pipes, for ``l1``, ``l2`` and ``dram`` the share of their
    peak rates, for ``memory`` the largest of these three.
    """

    microseconds: float
    low_us: float
    high_us: float
    cycles_active: int
    cycles_elapsed: int
    issue_utilisation: float
    achieved_occupancy: float
    stalls: Mapping[str, float]
    busy: Mapping[str, float]
    instruction_stalls: Mapping[int, Mapping[str, int]] = field(default_factory=dict, repr=False)
    speed_of_light: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Issue:
    """One instruction that a warp issued, by the warp's number in the timeline.

    ``waits`` are what the warp waited for since its issue before, in order, with the cycles.
    """

    warp: int
    instruction: int
    cycle: int
    waits: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Issues of one SM from cycle ``start`` on, before ``end``; of each warp also the first behind.

    ``warps`` are linear block index and warp of the block, by number.
    """

    start: int
    end: int
    warps: tuple[tuple[int, int], ...]
    issues: tuple[Issue, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class LaunchTime:
    """Predicted times; ``borrowed`` names numbers taken from another GPU, ``changes`` what-ifs.

    ``timeline`` is a short window with warm caches, where it was asked for. ``simulated`` blocks of
    the ``blocks`` that the busiest SM runs were simulated, the others taken at their pace.
    """

    cold: Timing
    warm: Timing
    borrowed: tuple[str, ...] = ()
    changes: Mapping[str, float] = field(default_factory=dict)
    timeline: Timeline | None = None
    simulated: int = 0
    blocks: int = 0


@dataclass(frozen=True)
class Run:
    """The result of one replay.

    ``registers``, ``spill_store_bytes``, ``spill_load_bytes`` and ``stack_bytes`` are a thread's;
    None where the machine code does not say. ``bank_pressure`` gives by instruction index how many
    units each of the 32 banks delivered or took (see :mod:`simulator.memory.bank_pressure`); None
    where they were not counted.
    """

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
    intensity: Intensity | None = None
    roofline: Roofline | None = None
    time: LaunchTime | None = None
    bank_pressure: Mapping[int, tuple[int, ...]] | None = None
    stack_bytes: int | None = None

    @property
    def spills(self) -> int | None:
        """Bytes of spill stores and loads in the machine code; None where it does not say."""
        if self.spill_store_bytes is None or self.spill_load_bytes is None:
            return None
        return self.spill_store_bytes + self.spill_load_bytes

    def save(self, path: str | PathLike[str], outputs: bool = False) -> None:
        """Write the run to a JSON file; see :func:`simulator.storage.save_run`."""
        from simulator.storage import save_run  # it reads this module: import when needed

        save_run(self, path, outputs)

    def ncu(self) -> dict[str, Counter]:
        """The counters under Nsight Compute's metric names for this run's architecture.

        See :func:`simulator.metrics.ncu_counters`.
        """
        from simulator.metrics import ncu_counters  # it reads this module: import when needed

        return ncu_counters(self.counters, self.architecture)


COUNT_FIELDS = tuple(
    name
    for name in InstructionRecord.__dataclass_fields__
    if name not in ("index", "pc", "sass", "opcode", "source_file", "source_line", "status")
)
