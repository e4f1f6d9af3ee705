"""The caches of a launch: the streams of all its blocks, and what comes out as counters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.device.model import Device
from simulator.device.structure import SECTOR_BYTES
from simulator.emulator.launch import Launch
from simulator.isa.kernel import INSTRUCTION_BYTES, Instruction, Kernel, OperandKind
from simulator.memory.caches.between import Code
from simulator.memory.caches.machine import machine_of
from simulator.memory.caches.predict import DETAILED_COST, CacheCounts, predict
from simulator.memory.caches.scaling import Parts
from simulator.memory.caches.streams import Streams, own_streams
from simulator.memory.caches.templates import extend
from simulator.memory.caches.work import Shape
from simulator.recording import Recording
from simulator.results import Counter, Occupancy, Status

_NEVER = 1 << 40
SCOREBOARDS = 6
LEAST_ITEMS = 1024  # of a warp that are kept at least


@dataclass(frozen=True)
class CacheLaunch:
    """What the cache model needs to know of a launch.

    ``recording`` has the addresses of blocks of ``launch``;
    ``block_cycles`` is the least work of an SM for a block (see ``block_work``), ``warp_cycles``
    what a warp takes if it has a sub-core for itself (see ``warp_time``), ``ahead`` the loads whose
    results are needed late (see ``fetched_ahead``), ``code`` what lies between loads.
    """

    launch: Launch
    recording: Recording
    device: Device
    occupancy: Occupancy
    block_cycles: float
    warp_cycles: float
    ahead: NDArray[np.bool_]
    code: Code
    workers: int


def make_recording(launch: Launch, device: Device, steered: Callable[[], bool]) -> Recording:
    """Where the addresses of a launch are kept: so many that all blocks of a wave together are not
    too much to simulate, or those of a group of SMs where one stands for all (see ``predict``)."""
    machine = machine_of(device, 0)
    warps = -(-math.prod(launch.block) // 32)
    places = min(launch.resident, math.prod(launch.grid))
    if machine.holds(_buffer_bytes(launch)):
        places = -(-places // len(set(machine.layout.groups)))
    return Recording(launch.grid, steered, max(LEAST_ITEMS, DETAILED_COST // (places * warps)))


def _buffer_bytes(launch: Launch) -> int:
    spans = launch.arena.spans
    return int((spans[:, 1] - spans[:, 0]).sum())


def block_work(instructions: float, wavefronts: float, device: Device) -> float:
    """Cycles an SM needs for a block at least: to issue its warp-instructions, or for the
    wavefronts of shared memory and the tags of global memory, which pass L1 one a cycle."""
    return max(instructions / device.subcores_per_sm, wavefronts)


def warp_time(kernel: Kernel, executed: Sequence[int], warps: int) -> float:
    """Cycles in which a warp issues all its instructions: their stall counts."""
    stalls = [
        1 if i.control is None else max(1, i.control.stall_count) for i in kernel.instructions
    ]
    return sum(n * s for n, s in zip(executed, stalls, strict=True)) / max(warps, 1)


def cache_counts(launch: CacheLaunch) -> CacheCounts:
    """Replay what is needed and send it through the caches."""
    made = launch.launch
    streams = _streams(launch)
    kernel = made.program.kernel
    warps = -(-math.prod(made.block) // 32)
    shape = Shape(
        blocks_per_sm=launch.occupancy.blocks_per_sm,
        global_bytes=_buffer_bytes(made),
        global_end=len(made.arena.memory),
        local_bytes=made.local_bytes * 32 * warps,
        warps=warps,
        work=launch.block_cycles,
        warp_cycles=launch.warp_cycles,
        waits=result_waits(kernel),
        ahead=launch.ahead,
        barriers=any(i.opcode == "BAR" for i in kernel.instructions),
        code=launch.code,
    )
    machine = machine_of(launch.device, launch.occupancy.carveout_bytes)
    parts = Parts(*launch.recording.parts())
    return predict(streams, machine, shape, parts)


def _streams(launch: CacheLaunch) -> Streams:
    recording = launch.recording
    if not recording.everything:
        found = extend(recording.complete(launch.launch.fresh, launch.workers), recording.grid)
        if found is not None:
            return found
    return own_streams(
        recording.whole(launch.launch.fresh, launch.workers), math.prod(recording.grid)
    )


def result_waits(kernel: Kernel) -> NDArray[np.int64]:
    """For every instruction the first later one that waits for its result (by scoreboard)."""
    waits = np.full(len(kernel.instructions), _NEVER, np.int64)
    following = [_NEVER] * SCOREBOARDS
    for instruction in reversed(kernel.instructions):
        control = instruction.control
        if control is not None:
            if control.write_scoreboard is not None:
                waits[instruction.index] = following[control.write_scoreboard]
            for scoreboard in range(SCOREBOARDS):
                if control.wait_mask >> scoreboard & 1:
                    following[scoreboard] = instruction.index
    return waits


def _first_waiting(instructions: Sequence[Instruction], scoreboard: int) -> int:
    for later in instructions:
        if later.control is not None and later.control.wait_mask >> scoreboard & 1:
            return later.index
    return _NEVER


def code_of(kernel: Kernel, executed: Sequence[int]) -> Code:
    """How often instructions were executed, and the kernel's loops."""
    before = np.concatenate([[0], np.cumsum(np.asarray(executed, np.int64))])
    loops = [
        (operand.value // INSTRUCTION_BYTES, i.index)
        for i in kernel.instructions
        for operand in i.operands
        if i.opcode == "BRA" and operand.kind is OperandKind.LABEL and operand.value < i.address
    ]
    return Code(before, tuple(loops))


def fetched_ahead(kernel: Kernel, code: Code) -> NDArray[np.bool_]:
    """Which instructions fetch for the next turn of a loop.

    Most of the loop's work, in executed instructions, lies between them and the first that waits
    for their result. Copies do where the loop waits for all but the last groups of them.
    """
    before = code.before
    ahead = np.zeros(len(kernel.instructions), np.bool_)
    for i in kernel.instructions:
        around = [loop for loop in code.loops if loop[0] <= i.index <= loop[1]]
        if i.opcode == "LDGSTS":
            ahead[i.index] = any(_leaves_groups(kernel.instructions[a : b + 1]) for a, b in around)
        if around and i.control is not None and i.control.write_scoreboard is not None:
            first, last = min(around, key=lambda loop: loop[1] - loop[0])
            turn = before[last + 1] - before[first]
            ahead[i.index] = 2 * _work_until_needed(kernel, i, first, last, before) > turn
    return ahead


def _leaves_groups(loop: Sequence[Instruction]) -> bool:
    """Whether a loop waits for groups of copies, but not for the last ones."""
    waits = [i for i in loop if i.opcode == "DEPBAR"]
    return any(o.kind is OperandKind.IMMEDIATE and o.value > 0 for i in waits for o in i.operands)


def _work_until_needed(
    kernel: Kernel, load: Instruction, first: int, last: int, before: NDArray[np.int64]
) -> int:
    """Instructions executed between a load in the loop ``first`` to ``last`` and its use."""
    assert load.control is not None
    scoreboard, code = load.control.write_scoreboard or 0, kernel.instructions
    needed = _first_waiting(code[load.index + 1 : last + 1], scoreboard)
    if needed != _NEVER:
        return int(before[needed] - before[load.index + 1])
    needed = _first_waiting(code[first : load.index], scoreboard)
    end = before[load.index] if needed == _NEVER else before[needed]
    return int(before[last + 1] - before[load.index + 1] + end - before[first])


def cache_counters(counts: CacheCounts) -> dict[str, Counter]:
    """The counters of a run; all are bounded, see ``benchmarks/cache_errors.py`` for how well.

    Copies past L1 (LDGSTS.BYPASS) count the sectors that they ask L2 for; the loads that an NVIDIA
    H200 counts in L1 are the sectors of shared memory that they fill.
    """
    cold, warm = counts.cold, counts.warm
    found = {
        "l1_load_sectors": (cold["load_sectors"], "sectors"),
        "l1_load_hit_sectors": (cold["load_hits"], "sectors"),
        "l1_hit_rate": (_percent(cold["load_hits"], cold["load_sectors"]), "%"),
        "l1_store_sectors": (cold["store_sectors"], "sectors"),
        "l2_read_sectors": (cold["l2_read_sectors"], "sectors"),
        "l2_read_sectors_warm": (warm["l2_read_sectors"], "sectors"),
        "l2_merged_read_sectors": (cold["reads_asked"] - cold["l2_read_sectors"], "sectors"),
        "l2_read_hit_sectors": (cold["l2_read_hits"], "sectors"),
        "l2_hit_rate": (_percent(cold["l2_read_hits"], cold["l2_read_sectors"]), "%"),
        "l2_hit_rate_warm": (_percent(warm["l2_read_hits"], warm["l2_read_sectors"]), "%"),
        "dram_read_bytes": (SECTOR_BYTES * _dram_reads(cold), "bytes"),
        "dram_write_bytes": (SECTOR_BYTES * cold["dram_write_sectors"], "bytes"),
        "dram_read_bytes_warm": (SECTOR_BYTES * _dram_reads(warm), "bytes"),
        "dram_write_bytes_warm": (SECTOR_BYTES * warm["dram_write_sectors"], "bytes"),
    }
    if cold["local_load_sectors"] or cold["local_store_sectors"]:
        found |= {
            "l1_local_load_sectors": (cold["local_load_sectors"], "sectors"),
            "l1_local_load_hit_sectors": (cold["local_load_hits"], "sectors"),
            "l1_local_store_sectors": (cold["local_store_sectors"], "sectors"),
        }
    if counts.share < 1.0:  # the rest is taken to be alike
        found["caches_simulated_part"] = (100.0 * counts.share, "%")
    return {name: Counter(value, unit, Status.BOUNDED) for name, (value, unit) in found.items()}


def _dram_reads(counts: Mapping[str, float]) -> float:
    return counts["dram_read_sectors"] + counts["dram_fill_sectors"]


def _percent(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0
