"""What a GPU is to the simulator: limits as typed attributes, every other number as a fact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simulator.device.facts import Fact
from simulator.errors import UnknownNameError

REQUIRED_NUMBERS = (
    "sm_count",
    "max_warps_per_sm",
    "max_threads_per_sm",
    "max_blocks_per_sm",
    "max_threads_per_block",
    "registers_per_sm",
    "max_registers_per_block",
    "max_registers_per_thread",
    "register_allocation_unit",
    "warp_allocation_granularity",
    "subcores_per_sm",
    "shared_bytes_per_sm",
    "shared_bytes_per_block",
    "shared_bytes_per_block_optin",
    "shared_allocation_unit_bytes",
    "reserved_shared_bytes_per_block",
    "static_shared_base_bytes",
    "shared_banks",
    "shared_bank_bytes",
    "l1_bytes",
    "l2_bytes",
)
REQUIRED_ROWS = ("shared_carveout_bytes", "max_grid_dim", "max_block_dim")


@dataclass(frozen=True)
class Device:
    """A GPU.

    The attributes are the limits every device file must give; all of them, and the numbers known
    for some GPUs only (clocks, latencies, bandwidths), are in ``facts`` with unit and origin.

    ``shared_bytes_per_block`` is the limit without opt-in. ``reserved_shared_bytes_per_block`` is
    what the system takes of an SM's shared memory for each resident block.
    ``static_shared_base_bytes`` is the address of the first static shared byte in a block's shared
    window: 0, or 0x400 from sm_90 on, where the reserved bytes come first.
    """

    name: str
    title: str
    architecture: int  # 89 for sm_89
    sm_count: int
    max_warps_per_sm: int
    max_threads_per_sm: int
    max_blocks_per_sm: int
    max_threads_per_block: int
    registers_per_sm: int
    max_registers_per_block: int
    max_registers_per_thread: int
    register_allocation_unit: int  # registers a warp
    warp_allocation_granularity: int
    subcores_per_sm: int
    shared_bytes_per_sm: int
    shared_bytes_per_block: int
    shared_bytes_per_block_optin: int
    shared_allocation_unit_bytes: int
    reserved_shared_bytes_per_block: int
    static_shared_base_bytes: int
    shared_banks: int
    shared_bank_bytes: int
    l1_bytes: int  # L1 and shared memory together
    l2_bytes: int
    shared_carveout_bytes: tuple[int, ...]
    max_grid_dim: tuple[int, int, int]
    max_block_dim: tuple[int, int, int]
    facts: Mapping[str, Fact] = field(repr=False, hash=False, compare=False)

    def fact(self, key: str) -> Fact:
        """The number of that name.

        Raises:
            UnknownNameError: it is not known for this GPU.
        """
        if key not in self.facts:
            raise UnknownNameError(f"fact of {self.name}", key, self.facts)
        return self.facts[key]
