"""What all pages say about a run."""

from __future__ import annotations

from simulator.device import device_title
from simulator.results import Run


def launch_lead(run: Run) -> str:
    """Device, grid and block of a launch in one line."""
    grid, block = ("x".join(map(str, trimmed(dims))) for dims in (run.grid, run.block))
    sampling = run.sampling
    replayed = f"{sampling.blocks_replayed:,} of {sampling.blocks_total:,} blocks replayed"
    return (
        f"{title_of(run)}, grid {grid}, block {block}, {run.registers} "
        f"registers a thread; {replayed} ({sampling.argument})"
    )


def title_of(run: Run) -> str:
    """The run's device by its full name."""
    return device_title(run.device, run.architecture)


def trimmed(dims: tuple[int, ...]) -> tuple[int, ...]:
    """Dimensions without the ones behind the last that is not 1; at least one."""
    kept = list(dims)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return tuple(kept)


def footer(*runs: Run) -> str:
    """Which machine code was replayed, and what by."""
    parts = [f"{run.kernel}: program {run.program_hash[:16]}, {run.compiler}" for run in runs]
    return "Predicted by smreplay without a GPU. " + "; ".join(parts) + "."
