"""The numbers of the SM's loop for a launch, from those of its GPU."""

from __future__ import annotations

import math
from typing import Any

from simulator.device.lending import several
from simulator.device.structure import DRAM_ACCESS_BYTES, SECTOR_BYTES
from simulator.timing.parameters import Parameters
from simulator.timing.rates import Rates


def make_rates(p: Parameters, active_sms: int, cold: bool, instructions: int) -> Rates:
    """The loop's numbers when ``active_sms`` SMs run blocks of so many instructions; ``cold``: all
    caches were flushed."""
    return Rates(
        sms=active_sms,
        **_unit(p),
        **_l2(p, active_sms),
        **_dram(p, active_sms, cold),
        **_atomics(p, active_sms),
        **_address_unit(p),
        **_blocks(p, active_sms),
        has_lite=int(p.has_lite),
        xu_queue=int(p["timing_xu_queue_cycles"]),
        bank_window=int(p["timing_operand_window_cycles"]),
        branch=int(p["timing_taken_branch_cycles"]),
        branch_on=int(p["timing_forward_branch_cycles"]),
        holds=True,
        fetch=p.fetch(instructions, active_sms, cold),
    )


def _unit(p: Parameters) -> dict[str, Any]:
    """The load/store unit and L1."""
    enter = int(p["timing_lsu_entry_cycles"])
    idle, busy = several(p.device, "timing_wide_return_cycles")
    return {
        "port": float(round(p["lsu_cycles_per_instruction"])),
        "shared": p["timing_shared_wavefront_cycles"],
        "queue": int(p["timing_lsu_queue_instructions"]),
        "wide_idle": idle,
        "wide_busy": busy,
        "wide_slope": p["timing_wide_return_slope_cycles"],
        "wide_from": p["timing_wide_return_from_share"],
        "wide_window": int(p["timing_wide_return_window_cycles"]),
        "enter": enter,
        "tag": p["timing_tag_wavefront_cycles"],
        "l1_latency": int(p["l1_hit_latency_cycles"]) - enter,
        "copy_port": p["timing_async_copy_cycles"],
        "copy_request": p["timing_copy_request_cycles"],
        "copy_extra": int(p["timing_async_copy_extra_cycles"]),
        "store_join": int(p["timing_store_join_lines"]),
        "store_buffer": p["timing_store_buffer_cycles"],
    }


def _l2(p: Parameters, active_sms: int) -> dict[str, Any]:
    """L2 and the ways to it; over a rate of the chip: cycles a sector."""
    share = SECTOR_BYTES * max(1, active_sms)
    read = share / p["l2_read_bytes_per_cycle"]
    write = share / p.l2_write_bytes_per_cycle
    return {
        "l2_latency": int(p["l2_hit_latency_cycles"] - p["timing_lsu_entry_cycles"]),
        "l2_spread": int(p["l2_latency_spread_cycles"]),
        "port_read": SECTOR_BYTES / p["timing_l2_read_alone_bytes_per_cycle"],
        "port_write": SECTOR_BYTES / p["timing_l2_write_alone_bytes_per_cycle"],
        "l2_read": read,
        "l2_line": read * p["timing_l2_line_sectors"],
        "l2_fill": write * p["timing_l2_fill_share"],
        "l2_write": write,
        "apart": p.skew(active_sms),
        "drift": p["timing_drift_share"],
        "l2_queue": p["timing_l2_queue_cycles"],
        "fullest": p["timing_fullest_share"],
    }


def _dram(p: Parameters, active_sms: int, cold: bool) -> dict[str, Any]:
    share = SECTOR_BYTES * max(1, active_sms)
    rate = p["dram_read_bytes_per_second"] / p.clock_hz
    write = rate * p["timing_dram_write_share"]
    every, takes = several(p.device, "dram_refresh_cycles")[:2]
    beyond_l2 = p["dram_latency_cycles"] - p["l2_hit_latency_cycles"]
    pace = p.dram_pace
    return {
        "dram_latency": int(pace * beyond_l2),
        "dram_line": pace * p["timing_dram_line_cycles"],
        "dram_read": share / rate,
        "dram_write": share / write,
        "first_page": p["timing_first_page_cycles"] if cold else 0.0,
        "page_miss": p["timing_page_cycles"] if cold else 0.0,
        "l2_turnover": p.l2_capacity / rate,
        "dirty_turnover": p.l2_dirty_capacity / rate,
        "unfinished_turnover": p.l2_unfinished / rate or math.inf,  # 0: any number
        "dram_lone": p["timing_dram_lone_share"],
        "dram_paired": p["timing_dram_paired_share"],
        "channel_access": DRAM_ACCESS_BYTES * p["dram_channels"] / rate,
        "refresh": pace * takes,
        "refresh_every": pace * every,
        "refresh_phase": 0.0,
        "dram_queue": pace * p["timing_dram_queue_cycles"],
        "dram_turn": p["timing_dram_turn_share"],
    }


def _atomics(p: Parameters, active_sms: int) -> dict[str, Any]:
    slices = active_sms / p["l2_slices"]
    return {
        "atomic_request": p["timing_atomic_request_cycles"],
        "atomic_part": p["timing_atomic_part_cycles"],
        "atomic_whole": p["timing_atomic_sector_cycles"],
        "slice_part": p["timing_atomic_slice_part_cycles"] * slices,
        "slice_whole": p["timing_atomic_slice_cycles"] * slices,
    }


def _address_unit(p: Parameters) -> dict[str, Any]:
    arrival = p["timing_barrier_arrive_cycles"]
    behind = p["timing_barrier_latency_cycles"] + arrival - p["timing_lsu_entry_cycles"]
    return {
        "special": p["timing_special_cycles"],
        "arrival": arrival,
        "barrier_latency": int(behind),
    }


def _blocks(p: Parameters, active_sms: int) -> dict[str, Any]:
    return {
        "block_end": p["timing_block_end_cycles"] * active_sms,
        "first_block": p["timing_first_block_cycles"],
        "launch_warp": p["timing_launch_warp_cycles"],
        "warp_start": p["timing_warp_start_cycles"],
        "relaunch": int(p["timing_relaunch_cycles"]),
        "drain": int(p["timing_drain_cycles"]),
    }
