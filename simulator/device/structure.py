"""Numbers of GPUs that code is made for: tables and steps of compiled loops have these sizes.

Where each comes from stands in the device files, like all others. What a GPU's file lacks is taken
to be as here; a file that says otherwise is refused (``check_structure``), not misread.
"""

from __future__ import annotations

from collections.abc import Mapping

from simulator.device.facts import Fact
from simulator.errors import DeviceDataError

WARP_THREADS = 32
LEAST_REGISTERS = 16  # of a thread
SHARED_BANKS, SHARED_BANK_BYTES = 32, 4
SECTOR_BYTES, LINE_BYTES = 32, 128
DRAM_ACCESS_BYTES = 64  # a pair of sectors
SIDE_BYTES = 4096  # addresses that lie behind one partition of L2
SUBCORES, REGISTER_BANKS = 4, 2
LSU_LANES = 2  # of the load/store unit: an instruction's wavefronts take one of them
CODE_LINE_BYTES = 128
SMS_PER_TPC = 2
L1_SETS, L1_WAYS, L1_KEPT = 512, 4, 2  # tags: sets, of a set, those kept before all others
L1_DRAWN, L1_PATIENCE = 3, 6  # sets looked at for room, and asked for a line used once

# By name of the fact; of a row the first numbers.
STRUCTURE: dict[str, tuple[int, ...]] = {
    "warp_threads": (WARP_THREADS,),
    "least_registers_per_thread": (LEAST_REGISTERS,),
    "shared_banks": (SHARED_BANKS,),
    "shared_bank_bytes": (SHARED_BANK_BYTES,),
    "sector_bytes": (SECTOR_BYTES,),
    "l1_line_bytes": (LINE_BYTES,),
    "l2_line_bytes": (LINE_BYTES,),
    "dram_access_bytes": (DRAM_ACCESS_BYTES,),
    "dram_spread_bytes": (SIDE_BYTES,),
    "subcores_per_sm": (SUBCORES,),
    "register_banks_per_subcore": (REGISTER_BANKS,),
    "timing_lsu_lanes": (LSU_LANES,),
    "timing_code_line_bytes": (CODE_LINE_BYTES,),
    "sms_per_tpc": (SMS_PER_TPC,),
    "l1_tag_sets": (L1_SETS,),
    "l1_tag_ways": (L1_WAYS,),
    "l1_kept_lines": (L1_KEPT,),
    "l1_room_sets": (L1_DRAWN, L1_PATIENCE),
}


def check_structure(name: str, facts: Mapping[str, Fact]) -> None:
    """Refuse a GPU that the loops are not made for.

    Raises:
        DeviceDataError: names the fact, its value and the one needed.
    """
    for key, needed in STRUCTURE.items():
        if key not in facts:
            continue
        value = facts[key].value
        row = value if isinstance(value, tuple) else (value,)
        if row[: len(needed)] != needed:
            wanted = ", ".join(map(str, needed))
            raise DeviceDataError(
                f"device {name!r}: {key} is {value}, but this version can only simulate {wanted}"
            )
