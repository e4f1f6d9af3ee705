"""Claims 5, 6, 7, 11 and 12: registers, blocks, spills and traffic of global memory."""

from __future__ import annotations

import math

from reports.claims.claim import Answer, Verdict, is_near
from reports.claims.counting import stored_elements
from reports.claims.evidence import ARTICLE_ONE_GPU, Evidence, memory_command
from simulator.device import load_device
from simulator.instruction_mix import count_flops
from simulator.intensity import find_intensity
from simulator.roofline import find_roofline

_REGISTERS = 64 + 8 + 8
_OUTPUTS = 128 * 128
_WIDE = {"int TM = 8": "int TM = 16", "int TN = 8": "int TN = 16"}


def _holds(condition: bool) -> Verdict:
    return Verdict.HOLDS if condition else Verdict.FAILS


def registers(evidence: Evidence) -> Answer:
    """Claim 5."""
    run = evidence.replay("register_tiling_gemm")
    holds = is_near(run.registers, _REGISTERS)
    why = (
        "The compiler takes what the accumulators and the two factors need."
        if holds
        else f"The {_REGISTERS} leave out addresses, indices and loop counters: the compiler takes "
        f"{run.registers - _REGISTERS:+} of them."
    )
    return Answer(
        5,
        "An 8x8 register tile needs 64 + 8 + 8 = 80 registers a thread.",
        f"{_REGISTERS} registers",
        f"{run.registers} registers ({run.compiler}, sm_{run.architecture})",
        _holds(holds),
        why,
        (memory_command("register_tiling_gemm"),),
    )


def outputs(evidence: Evidence) -> Answer:
    """Claim 6."""
    run = evidence.replay("register_tiling_gemm")
    threads, written = math.prod(run.block), stored_elements(run) / math.prod(run.grid)
    holds = threads == 256 and written == _OUTPUTS
    return Answer(
        6,
        "A 128x128 tile in 8x8 patches takes 256 threads and makes 16384 outputs a block.",
        "256 threads, 16,384 outputs",
        f"{threads} threads, {written:,.0f} elements stored a block",
        _holds(holds),
        "Counted from the launch and from the lanes that stored to global memory.",
        (memory_command("register_tiling_gemm"),),
    )


def idle_sms(evidence: Evidence) -> Answer:
    """Claim 7."""
    run = evidence.replay("register_tiled_gemm")
    blocks, sms = math.prod(run.grid), load_device(ARTICLE_ONE_GPU).sm_count
    idle = max(0, sms - blocks)
    return Answer(
        7,
        "register_tiled_gemm launches 64 blocks, so half of the 128 SMs idle.",
        "64 blocks, 64 of 128 SMs idle",
        f"{blocks} blocks, {idle} of {sms} SMs idle",
        _holds(blocks == 64 and 2 * idle == sms),
        "A block runs on one SM, and there are fewer blocks than SMs.",
        (memory_command("register_tiled_gemm"),),
    )


def spills(evidence: Evidence) -> Answer:
    """Claim 11: the same kernel with 16x16 outputs a thread, compiled now."""
    usual = evidence.replay("register_tiling_gemm")
    wide = evidence.compile_edited("register_tiling_gemm", _WIDE, ARTICLE_ONE_GPU)
    few = (usual.spill_store_bytes or 0) + (usual.spill_load_bytes or 0)
    many = wide.spills.store_bytes + wide.spills.load_bytes if wide.spills else None
    verdict = Verdict.OPEN if many is None else _holds(many > few)
    found = "not reported" if many is None else f"{many:,} bytes a thread"
    return Answer(
        11,
        "Larger thread tiles can spill registers.",
        "spills with larger tiles",
        f"8x8: {usual.registers} registers, {few} bytes spilled; 16x16: {wide.registers} "
        f"registers, {found} spilled (stores and loads)",
        verdict,
        "16x16 accumulators alone are 256 values, and a thread can have 255 registers.",
        (
            "sed 's/\\(T[MN]\\) = 8/\\1 = 16/' kernels/sources/register_tiling_gemm.cu > wide.cu",
            "smreplay memory --source wide.cu --grid 1 --block 64 --arg 'f32[128,8]=ones' "
            "--arg 'f32[8,128]=ones' --arg 'f32[128,128]=zeros' --arg i32=128 --arg i32=128 "
            "--arg i32=8",
        ),
    )


def global_intensity(evidence: Evidence, edge: int = 1024) -> Answer:
    """Claim 12: the figure is about DRAM traffic without any waste."""
    run = evidence.replay("tiled_gemm")
    levels, line = find_intensity(run), find_roofline(run)
    ideal = count_flops(run).total / (3 * edge * edge * 4)
    device = load_device(ARTICLE_ONE_GPU)
    bandwidth = device.facts["dram_bytes_per_second"].value
    assert not isinstance(bandwidth, tuple)
    ridge = line.peak_flops_per_cycle * (line.clock_hz or 0) / bandwidth
    dram, l1 = levels.level("DRAM").flop_per_byte, levels.level("L1").flop_per_byte or 0
    counted = "DRAM traffic unmodelled" if dram is None else f"{dram:.4g} at DRAM"
    verdict = Verdict.OPEN if dram is None else _holds(is_near(dram, edge / 6))
    why = (
        "The arithmetic is right for a launch that moves each matrix once, but what a launch "
        "moves at DRAM is not predicted in this run; at L1 it moves far more."
        if dram is None
        else "The figure is that of a launch that moves each matrix once between DRAM and L2."
    )
    return Answer(
        12,
        "Global arithmetic intensity is N/6 = 170.67 FLOP/byte at N = 1024, above a ridge of 81.9.",
        f"{edge / 6:.5g} FLOP/byte, ridge 81.9",
        f"{ideal:.5g} if each matrix moves once, {l1:.3g} at L1, {counted}; ridge {ridge:.3g}",
        verdict,
        why,
        (memory_command("tiled_gemm"),),
    )
