"""Arithmetic intensity: floating-point operations against the bytes each level of memory moves.

The levels, from the thread outwards, each defined by counts alone:

``thread``   bytes that loads return from shared memory to each active lane. What the source asks
             for, however the compiler packs it: a lane that reads four floats asks for 16 bytes
             whether one instruction does it or four, and whether or not lanes read the same.
``warp``     bytes that the warps' instructions ask of shared memory for their lanes: stores,
             atomics, matrix loads and asynchronous copies too.
``shared``   128 bytes for each wavefront of shared memory, loads and stores, conflicts included:
             what the warps' machine code takes of its bandwidth.
``L1``       32 bytes for each sector of a global or local request.
``L2``       32 bytes for each sector that passes between L1 and L2.
``DRAM``     bytes read and written.
"""

from __future__ import annotations

from simulator.device.structure import SECTOR_BYTES
from simulator.instruction_mix import count_flops, instruction_form, run_status
from simulator.isa.access import memory_access
from simulator.isa.kernel import AccessKind
from simulator.results import Flops, InstructionRecord, Intensity, Level, Run, Status
from simulator.shared_report import requested_bytes, total_shared
from simulator.status import weakest

WAVEFRONT_BYTES = 128
_LOADS = (AccessKind.LOAD, AccessKind.MATRIX_LOAD)
# Counters of the cache models, added up; a level is unmodelled where one is missing.
L2_SECTORS = ("l2_read_sectors", "l2_write_sectors")
L2_ATOMICS = "l2_atomic_sectors"  # counted with them where a kernel has any
DRAM_BYTES = ("dram_read_bytes", "dram_write_bytes")


def find_intensity(run: Run) -> Intensity:
    """Arithmetic intensity of a run at every level."""
    flops = count_flops(run)
    status, shared = run_status(run), total_shared(run)
    levels = (
        Level("thread", thread_bytes(run), flops.total, status),
        Level("warp", shared.bytes, flops.total, status, shared.hardware),
        Level("shared", shared_bytes(run), flops.total, status, shared.hardware),
        Level("L1", l1_bytes(run), flops.total, _weakest(run, ("global_sectors_hardware",))),
        _counted("L2", run, _l2_counters(run), SECTOR_BYTES, flops),
        _counted("DRAM", run, DRAM_BYTES, 1, flops),
    )
    return Intensity(flops, levels)


def thread_bytes(run: Run) -> int:
    """Bytes that loads return from shared memory to the active lanes."""
    return sum(requested_bytes(record) for record in run.instructions if _loads(record))


def _loads(record: InstructionRecord) -> bool:
    access = memory_access(*instruction_form(record))
    return access is not None and access.kind in _LOADS


def shared_bytes(run: Run) -> int:
    """Bandwidth of shared memory taken, in bytes."""
    return WAVEFRONT_BYTES * total_shared(run).hardware


def l1_bytes(run: Run) -> float:
    """Bytes of the sectors that global and local requests touch."""
    local = sum(record.local_sectors for record in run.instructions)
    counter = run.counters.get("global_sectors_hardware")
    if counter is None:
        touched: float = sum(record.global_sectors for record in run.instructions)
    else:
        touched = counter.value
    return SECTOR_BYTES * (touched + local)


def _l2_counters(run: Run) -> tuple[str, ...]:
    return (*L2_SECTORS, L2_ATOMICS) if L2_ATOMICS in run.counters else L2_SECTORS


def _weakest(run: Run, names: tuple[str, ...]) -> Status:
    """The least trusted status of some counters and of the run."""
    found = [run.counters[name].status for name in names if name in run.counters]
    return weakest([run_status(run), *found])


def _counted(name: str, run: Run, counters: tuple[str, ...], unit: int, flops: Flops) -> Level:
    known = all(counter in run.counters for counter in counters)
    if not known or _weakest(run, counters) is Status.UNMODELLED:
        return Level(name, None, flops.total, Status.UNMODELLED)
    total = sum(run.counters[counter].value for counter in counters)
    return Level(name, unit * total, flops.total, _weakest(run, counters))
