"""Claims 5, 6, 7, 11 and 12: registers, blocks, spills and traffic of global memory."""

from __future__ import annotations

import math

from reports.claims.claim import Answer, Verdict, is_near
from reports.claims.counting import stored_elements
from reports.claims.evidence import ARTICLE_ONE_GPU, Evidence, memory_command
from simulator.device import load_device
from simulator.device.structure import SECTOR_BYTES
from simulator.instruction_mix import count_flops
from simulator.intensity import find_intensity
from simulator.results import Run
from simulator.roofline import find_roofline

_REGISTERS = 64 + 8 + 8
_OUTPUTS = 128 * 128
# Twice the tile each way too, so that 256 threads copy and compute as before.
_WIDE = {
    "int TM = 8": "int TM = 16",
    "int TN = 8": "int TN = 16",
    "int BM = 128": "int BM = 256",
    "int BN = 128": "int BN = 256",
}


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
        f"{run.registers - _REGISTERS} more."
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
            "sed 's/\\(T[MN]\\) = 8/\\1 = 16/; s/\\(B[MN]\\) = 128/\\1 = 256/' "
            "kernels/sources/register_tiling_gemm.cu > wide.cu",
            "smreplay memory --source wide.cu --grid 1 --block 256 --arg 'f32[256,8]=ones' "
            "--arg 'f32[8,256]=ones' --arg 'f32[256,256]=zeros' --arg i32=256 --arg i32=256 "
            "--arg i32=8",
        ),
    )


def global_intensity(evidence: Evidence, edge: int = 1024) -> Answer:
    """Claim 12: the figure is about DRAM traffic without any waste."""
    run = evidence.replay("tiled_gemm", caches=True)
    levels, wanted = find_intensity(run), edge / 6
    dram, settled, l1 = levels.level("DRAM"), dram_with_results(run), levels.level("L1")
    verdict = Verdict.OPEN if settled is None else _holds(is_near(settled, wanted))
    counted = (
        "DRAM traffic unmodelled"
        if settled is None
        else f"{dram.flop_per_byte or 0:.4g} of DRAM traffic within the launch, {settled:.4g} with "
        "the results it leaves in L2"
    )
    return Answer(
        12,
        "Global arithmetic intensity is N/6 = 170.67 FLOP/byte at N = 1024, above a ridge of 81.9.",
        f"{wanted:.5g} FLOP/byte, ridge 81.9",
        f"{counted}; {l1.flop_per_byte or 0:.3g} at L1; ridge {_ridge(run):.3g}",
        verdict,
        _INTENSITY_WHY[verdict],
        (memory_command("tiled_gemm"),),
    )


_INTENSITY_WHY = {
    Verdict.OPEN: "What a launch moves at DRAM is not predicted in this run.",
    Verdict.HOLDS: "It is true of DRAM, where L2 lets each matrix move once; of L1 the tiles ask "
    "far more, and of shared memory more still.",
    Verdict.FAILS: "DRAM does not move each matrix just once.",
}


def dram_with_results(run: Run) -> float | None:
    """FLOP per byte of DRAM when results left in L2 are written back; None where unmodelled."""
    names = ("dram_read_bytes", "dram_write_bytes", "l2_write_sectors")
    if any(name not in run.counters for name in names):
        return None
    read, written, sectors = (run.counters[name].value for name in names)
    moved = read + max(written, SECTOR_BYTES * sectors)
    return count_flops(run).total / moved if moved else None


def _ridge(run: Run) -> float:
    """FLOP per byte at which the FP32 peak and DRAM's documented bandwidth meet."""
    line, device = find_roofline(run), load_device(run.device)
    bandwidth = device.facts["dram_bytes_per_second"].value
    assert not isinstance(bandwidth, tuple)  # one number
    return line.peak_flops_per_cycle * (line.clock_hz or 0) / bandwidth
