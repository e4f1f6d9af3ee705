"""Theoretical occupancy: how many blocks an SM holds, what limits them, what would change that.

Registers, warps and blocks follow the rules of the CUDA toolkit's occupancy header. Shared memory
depends on how the driver splits an SM's memory between it and L1, which NVIDIA does not document;
:func:`choose_carveout` is a rule found by measuring launches of many shapes on an NVIDIA H200.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from simulator.device.model import Device
from simulator.errors import ArgumentError
from simulator.results import Occupancy, Status

WARP_LANES = 32
_BARRIERS_COUNT_FROM = 90  # architecture; the occupancy header's rule
_MEASURED_ARCHITECTURES = (90,)  # where the carve-out rule was measured


@dataclass(frozen=True, slots=True)
class BlockResources:
    """What one block asks for.

    ``threads`` a block, ``registers`` a thread, ``shared_bytes`` static and dynamic together,
    ``barriers`` named barriers (0 when it has none).
    """

    threads: int
    registers: int
    shared_bytes: int
    barriers: int = 1


def _round_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit


def warps_of(threads: int) -> int:
    """Warps of a block."""
    return _round_up(threads, WARP_LANES) // WARP_LANES


def allocated_registers(device: Device, registers: int) -> int:
    """Registers a thread really takes: a warp's come in whole allocation units."""
    return _round_up(registers * WARP_LANES, device.register_allocation_unit) // WARP_LANES


def allocated_shared(device: Device, shared_bytes: int) -> int:
    """Shared bytes a block really takes: with the system's reserve, in whole units."""
    taken = shared_bytes + device.reserved_shared_bytes_per_block
    return _round_up(taken, device.shared_allocation_unit_bytes)


def limit_registers(device: Device, registers: int, warps: int) -> int:
    """Blocks of ``warps`` warps whose registers fit: each sub-core keeps whole warps."""
    per_warp = max(1, allocated_registers(device, registers)) * WARP_LANES
    per_subcore = device.registers_per_sm // device.subcores_per_sm
    return per_subcore // per_warp * device.subcores_per_sm // warps


def limit_barriers(device: Device, barriers: int) -> int:
    """Blocks whose named barriers fit, never more than the blocks an SM can hold.

    Before sm_90 barriers limit nothing in CUDA's calculation.
    """
    known = device.facts.get("named_barriers_per_sm")
    if known is None or not isinstance(known.value, int) or barriers < 1:
        return device.max_blocks_per_sm
    if device.architecture < _BARRIERS_COUNT_FROM:
        return device.max_blocks_per_sm
    return min(device.max_blocks_per_sm, known.value // barriers)


def _carveout_for(device: Device, shared_bytes: int) -> int:
    """The smallest carve-out that holds ``shared_bytes``, the largest when none does."""
    sizes = [size for size in sorted(device.shared_carveout_bytes) if size > 0]
    return next((size for size in sizes if size >= shared_bytes), sizes[-1])


def choose_carveout(device: Device, block: BlockResources, blocks: int) -> int:
    """Bytes of shared memory that the driver sets an SM to when the program asks for none.

    ``blocks`` is how many fit by everything but shared memory. The driver takes what these need.
    With more than one block it takes more, as long as shared memory gets no more than about half
    of what it shares with L1: what twice as many blocks need, and never what more blocks need
    than an SM holds at most less one for each warp of a block. A kernel without shared memory
    counts with the system's reserve, and as that many blocks.
    """
    taken = allocated_shared(device, block.shared_bytes)
    fitting = min(blocks, max(device.shared_carveout_bytes) // taken)
    needed = _carveout_for(device, fitting * taken)
    wished = _carveout_for(device, _wished_blocks(device, block, blocks) * taken)
    most = _carveout_for(device, device.l1_bytes // 2)
    return max(needed, min(wished, most))


def _wished_blocks(device: Device, block: BlockResources, blocks: int) -> int:
    if blocks <= 1:
        return blocks
    most = device.max_blocks_per_sm - warps_of(block.threads)
    wanted = min(2 * blocks, most) if block.shared_bytes else most
    return min(limit_barriers(device, block.barriers), wanted)


def _limits(device: Device, block: BlockResources) -> tuple[dict[str, int], int]:
    """Blocks an SM holds by each limiter, and the carve-out chosen."""
    warps = warps_of(block.threads)
    limits = {
        "registers": limit_registers(device, block.registers, warps),
        "warps": device.max_warps_per_sm // warps,
        "blocks": device.max_blocks_per_sm,
        "barriers": limit_barriers(device, block.barriers),
    }
    carveout = choose_carveout(device, block, min(limits.values()))
    limits["shared"] = carveout // allocated_shared(device, block.shared_bytes)
    return limits, carveout


def resident_blocks(device: Device, block: BlockResources) -> int:
    """Blocks an SM holds at once; 0 when not even one fits."""
    return min(_limits(device, block)[0].values())


def find_occupancy(
    device: Device, block: BlockResources, grid_blocks: int | None = None
) -> Occupancy:
    """Everything about how many blocks of this kind an SM holds.

    ``grid_blocks`` is the number of blocks of the launch, for ``waves``.

    Raises:
        ArgumentError: a block without threads, or one that does not fit an SM.
    """
    if not 1 <= block.threads <= device.max_threads_per_block:
        most = device.max_threads_per_block
        raise ArgumentError(f"a block of {block.threads} threads; {device.title} takes 1 to {most}")
    limits, carveout = _limits(device, block)
    blocks = min(limits.values())
    if blocks < 1:
        short = " and ".join(name for name, limit in limits.items() if limit < 1)
        raise ArgumentError(f"no block fits an SM of {device.title}: {short}; make it smaller")
    warps = warps_of(block.threads)
    per_thread = allocated_registers(device, block.registers)
    measured = device.architecture in _MEASURED_ARCHITECTURES
    fewer, smaller = _better_registers(device, block, blocks), _better_shared(device, block, blocks)
    return Occupancy(
        blocks_per_sm=blocks,
        warps_per_sm=blocks * warps,
        max_warps_per_sm=device.max_warps_per_sm,
        limit_registers=limits["registers"],
        limit_shared=limits["shared"],
        limit_warps=limits["warps"],
        limit_blocks=limits["blocks"],
        limit_barriers=limits["barriers"],
        limiters=tuple(name for name, limit in limits.items() if limit == blocks),
        registers_allocated=warps * WARP_LANES * per_thread // block.threads,
        shared_bytes_allocated=allocated_shared(device, block.shared_bytes),
        carveout_bytes=carveout,
        l1_bytes=device.l1_bytes - carveout,
        carveout_status=Status.EXACT if measured else Status.BOUNDED,
        waves=0.0 if grid_blocks is None else grid_blocks / (device.sm_count * blocks),
        better_registers=fewer.registers if fewer else None,
        better_shared_bytes=smaller.shared_bytes if smaller else None,
        better_registers_blocks=resident_blocks(device, fewer) if fewer else None,
        better_shared_blocks=resident_blocks(device, smaller) if smaller else None,
    )


def _better_registers(device: Device, block: BlockResources, blocks: int) -> BlockResources | None:
    """The block with the most registers a thread of which more fit; None when none would do."""
    for registers in range(block.registers - 1, 0, -1):
        less = replace(block, registers=registers)
        if resident_blocks(device, less) > blocks:
            return less
    return None


def _better_shared(device: Device, block: BlockResources, blocks: int) -> BlockResources | None:
    """The block with the most shared bytes of which more fit; None when none would do."""
    unit = device.shared_allocation_unit_bytes
    most = _round_up(block.shared_bytes, unit) - unit
    for shared_bytes in range(most, -1, -unit):
        less = replace(block, shared_bytes=shared_bytes)
        if resident_blocks(device, less) > blocks:
            return less
    return None
