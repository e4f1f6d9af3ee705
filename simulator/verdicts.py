"""What binds a launch, and by how much: one sentence a cause, as data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from simulator.device import load_device
from simulator.global_report import global_traffic
from simulator.instruction_mix import count_all, count_flops, run_status
from simulator.results import Roof, Run, Status
from simulator.roofline import LANES, find_roofline
from simulator.shared_report import total_shared

NEARLY_ALL = 0.995  # a share that rounds to all is no cause


@dataclass(frozen=True, slots=True)
class Verdict:
    """One cause. ``share`` is what is lost to it of the whole (0 to 1), of what says the text."""

    topic: str
    text: str
    share: float
    status: Status


def find_verdicts(run: Run) -> tuple[Verdict, ...]:
    """All causes of a run: the roof that binds first, then the others, the largest first.

    What is not modelled comes last.
    """
    judges: tuple[Callable[[Run], Verdict | None], ...] = (
        judge_occupancy,
        judge_conflicts,
        judge_sectors,
        judge_divergence,
        judge_grid,
        judge_spills,
    )
    found = [verdict for judge in judges if (verdict := judge(run)) is not None]
    roof = judge_roofline(run)
    rest = sorted(found, key=lambda verdict: -verdict.share)
    return tuple(v for v in (roof, *rest, judge_unmodelled(run)) if v is not None)


def judge_roofline(run: Run) -> Verdict | None:
    """The roof that binds, how far ahead of the next it is, and what it leaves of FP32's peak."""
    line = run.roofline or find_roofline(run)
    if line.binding is None:
        return None
    binds = f"{line.binding.name} binds"
    if len(line.ranked) > 1:
        binds += f", {_ahead(line.binding, line.ranked[1])}"
    text = f"{binds}: {line.binding.cycles:,.0f} cycles"
    # Tensor cores can exceed the peak of the FP32 units, which then says nothing.
    peak = None if count_flops(run).tensor else line.peak_share(line.binding)
    if peak is not None:
        text += f", {peak:.1%} of FP32 peak"
    lost = 0.0 if peak is None else 1 - peak
    return Verdict("roofline", text, lost, Status.BOUNDED)


def _ahead(first: Roof, second: Roof) -> str:
    assert first.cycles  # ranked roofs have them
    assert second.cycles
    return f"{first.cycles / second.cycles:.2f}x {second.name}"


def judge_unmodelled(run: Run) -> Verdict | None:
    """The roofs that nothing is known of, which might bind as well."""
    line = run.roofline or find_roofline(run)
    unknown = [roof.name for roof in line.roofs if roof.cycles is None]
    if not unknown:
        return None
    text = f"{', '.join(unknown)}: roofs not known, might bind"
    return Verdict("unmodelled", text, 0.0, Status.UNMODELLED)


def judge_occupancy(run: Run) -> Verdict | None:
    """The limiter, when an SM holds fewer warps than it could, and the next better point."""
    occupancy = run.occupancy
    if occupancy is None or occupancy.share > NEARLY_ALL:
        return None
    share = (
        f"{occupancy.warps_per_sm} of {occupancy.max_warps_per_sm} warps ({occupancy.share:.0%})"
    )
    ways = []
    if occupancy.better_registers is not None:
        ways.append(f"{occupancy.better_registers} registers")
    if occupancy.better_shared_bytes is not None:
        ways.append(f"{occupancy.better_shared_bytes:,} shared bytes")
    more = f"; more at {' or '.join(ways)}" if ways else ""
    names = ", ".join(occupancy.limiters)
    text = f"{names}: {share}{more}"
    return Verdict("occupancy", text, 1 - occupancy.share, Status.EXACT)


def judge_conflicts(run: Run) -> Verdict | None:
    """Shared wavefronts that are bank conflicts."""
    totals = total_shared(run)
    if not totals.conflicts:
        return None
    share = totals.conflicts / totals.hardware
    text = f"{totals.conflicts:,} of {totals.hardware:,} shared wavefronts ({share:.1%})"
    return Verdict("bank conflicts", text, share, run_status(run))


def judge_sectors(run: Run) -> Verdict | None:
    """Global sectors beyond the ideal."""
    sectors = sum(traffic.sectors for traffic in global_traffic(run))
    excess = sectors - sum(traffic.ideal for traffic in global_traffic(run))
    if not excess:
        return None
    share = excess / sectors
    text = f"{excess:,} of {sectors:,} global sectors ({share:.1%}) beyond the ideal"
    return Verdict("coalescing", text, share, run_status(run))


def judge_divergence(run: Run) -> Verdict | None:
    """Lanes that instructions leave idle, by branches and by guards."""
    count = count_all(run)
    lanes = LANES * count.executed
    if not lanes or count.predicated_on > NEARLY_ALL * lanes:
        return None
    active = count.predicated_on / count.executed
    text = f"{active:.1f} of {LANES} lanes work, {count.active_threads:.1f} are active"
    return Verdict("idle lanes", text, 1 - active / LANES, run_status(run))


def judge_grid(run: Run) -> Verdict | None:
    """SMs that stand idle because the grid's blocks do not divide among them."""
    device = load_device(run.device)
    blocks = math.prod(run.grid)
    held = device.sm_count * (run.occupancy.blocks_per_sm if run.occupancy else 1)
    rounds = math.ceil(blocks / device.sm_count)
    share = 1 - blocks / (rounds * device.sm_count)
    if share < 1 - NEARLY_ALL:
        return None
    if blocks < device.sm_count:
        leave = "block leaves" if blocks == 1 else "blocks leave"
        text = f"{blocks:,} {leave} {device.sm_count - blocks} of {device.sm_count} SMs idle"
    else:
        text = f"the fullest SM gets {rounds} blocks, the mean {blocks / device.sm_count:.2f}"
    return Verdict("grid", f"{text}; {blocks / held:.2f} waves", share, Status.EXACT)


def judge_spills(run: Run) -> Verdict | None:
    """Registers that went to local memory."""
    if not run.spill_load_bytes and not run.spill_store_bytes:
        return None
    moved = 32 * sum(record.local_sectors for record in run.instructions)
    stored, loaded = run.spill_store_bytes or 0, run.spill_load_bytes or 0
    text = f"{stored:,} B stored, {loaded:,} B loaded a thread; {moved:,} B of local memory"
    return Verdict("spills", text, 0.0, run_status(run))
