"""The numbers that the compiled loop of an SM reads, in cycles."""

from __future__ import annotations

from typing import NamedTuple

from simulator.timing.fetching import Fetch


class Rates(NamedTuple):
    """What the compiled loop reads, in cycles."""

    port: float  # load/store unit, an instruction of the SM
    shared: float  # data stage, a wavefront
    queue: int  # memory instructions a sub-core can have queued
    enter: int  # from issue to the load/store unit
    tag: float  # tag stage, a wavefront
    l1_latency: int  # from the load/store unit to the result
    copy_port: float  # load/store unit, an asynchronous copy at least
    copy_request: float  # the same, each of its requests
    copy_extra: int  # from there to the end of an asynchronous copy
    l2_latency: int
    l2_spread: int  # half the range over slices
    dram_latency: int
    port_read: float  # a sector on its way into the SM
    port_write: float  # a packet on its way out
    l2_read: float  # a sector on its way to the SMs, an SM's share of them all
    l2_line: float  # the request of a line, in the slices of L2
    l2_fill: float  # a sector that comes from DRAM
    l2_write: float  # a packet written
    dram_line: float  # a read of both halves of a line takes so much longer
    dram_read: float  # a sector, an SM's share
    dram_write: float  # a sector that is written back to DRAM
    first_page: float  # until the address of the first page is known, caches flushed
    page_miss: float  # the same for a further one
    l2_turnover: float  # cycles in which DRAM fills L2
    dirty_turnover: float  # the same for what L2 holds of what is stored
    unfinished_turnover: float  # and for the lines it keeps of sectors stored in part
    dram_lone: float  # what half a line costs beside a half of a whole one
    dram_paired: float  # the same, while another SM asks for the other half
    channel_access: float  # an access of a channel
    refresh: float  # cycles in which a part of DRAM answers nobody,
    refresh_every: float  # once in so many;
    refresh_phase: float  # those that have passed since when the launch begins
    apart: float  # cycles from the first SM's first block to the last one's
    drift: float  # part of the time passed by which SMs are further apart
    l2_queue: float  # a request before L2's slices when they are busy (``caches.wait_for_l2``)
    fullest: float  # part of the time for which what is shared is taken to be busy at most, there
    dram_queue: float  # a read, in DRAM's queues when it is busy (``caches.wait_for_dram``)
    dram_turn: float  # how much longer per part of DRAM's work that is stores
    wide_idle: float  # of the data stage, a load of 16 bytes a lane to a sub-core that is idle
    wide_busy: float  # the same, at most
    wide_slope: float  # between, times how busy beyond
    wide_from: float  # the part of cycles in which its sub-core issues
    wide_window: int  # over so many cycles
    store_buffer: float  # cycles of stores that may wait before the load/store unit blocks
    store_join: int  # lines of an SM's stores from one to the one that joins it, at most
    atomic_request: float  # a global atomic, one SM, at least
    atomic_part: float  # a pass of a global atomic over part of a sector, one SM
    atomic_whole: float  # a pass over all words of a sector
    slice_part: float  # the same two in the slices of L2 that do them, an SM's share
    slice_whole: float
    sms: int  # SMs that run blocks
    special: float  # address unit, a constant or a special register
    arrival: float  # address unit, an arrival at a barrier
    barrier_latency: int  # from the last arrival there to the next instruction
    block_end: float  # between the ends of two blocks, an SM's share of the chip's time
    first_block: float  # between the first blocks of an SM, at least
    launch_warp: float  # between two blocks of an SM, a warp of the first
    warp_start: float  # between two warps of a block
    relaunch: int  # from a block's end to its successor's first instruction
    has_lite: int  # 1: a second FMA half
    xu_queue: int  # of work that may wait for the special unit
    bank_window: int  # cycles of register reads that may wait
    branch: int  # from a taken branch back to the next instruction
    branch_on: int  # the same, forward
    holds: bool  # whether stores wait in L2 for sectors that are on their way there
    drain: int  # from a warp's last instruction to the end of its block
    fetch: Fetch
