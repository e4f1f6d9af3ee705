"""How many blocks an SM holds at once, and what is left of its memory for L1."""

from __future__ import annotations

from simulator.device.model import Device


def _round_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit


def resident_blocks(
    device: Device, threads: int, registers: int, shared_bytes: int
) -> tuple[int, int]:
    """Blocks an SM holds at once (at least 1) and bytes of its L1."""
    warps = _round_up(threads, 32) // 32
    per_warp = _round_up(max(1, registers) * 32, device.register_allocation_unit)
    per_subcore = device.registers_per_sm // device.subcores_per_sm // per_warp
    taken = shared_bytes + device.reserved_shared_bytes_per_block
    taken = _round_up(taken, device.shared_allocation_unit_bytes)
    blocks = min(
        device.max_blocks_per_sm,
        device.max_warps_per_sm // warps,
        per_subcore * device.subcores_per_sm // warps,
        device.shared_bytes_per_sm // taken,
    )
    blocks = max(1, blocks)
    sizes = sorted(device.shared_carveout_bytes)
    carveout = next((s for s in sizes if s >= blocks * taken), sizes[-1])
    return blocks, device.l1_bytes - carveout
