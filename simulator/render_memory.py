"""The whole memory picture of a run as one page of 80 columns; counts nothing itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from simulator.global_report import (
    Traffic,
    global_traffic,
    local_traffic,
    sum_global,
    sum_local,
    wasteful_lines,
)
from simulator.instruction_mix import (
    FLOAT_OPCODES,
    TENSOR_OPCODES,
    OpcodeCount,
    add_counts,
    count_all,
    count_flops,
    count_opcodes,
    count_pipes,
    run_status,
)
from simulator.intensity import find_intensity
from simulator.render import (
    number,
    percent,
    place_in_words,
    plural,
    render_findings,
    render_launch,
)
from simulator.render_parts import Cell, Lines, MarkedTable, heading, legend, marked_facts
from simulator.results import InstructionRecord, Level, Occupancy, Roof, Roofline, Run, Status
from simulator.roofline import find_roofline
from simulator.shared_report import (
    Explain,
    SharedTotals,
    find_hotspots,
    shared_instructions,
    shared_rows,
    sum_shared,
)
from simulator.status import weakest
from simulator.verdicts import find_verdicts

Fact = tuple[Status, str, str]

MAX_LINES = 3
MAX_OPCODES = 8
NAMED = ("line", "instruction")
_CACHES = ("l1_", "l2_", "dram_", "caches_")


def render_memory(run: Run, explain: Explain, everything: bool = False) -> Group:
    """Launch, shared, global, caches, instructions, occupancy, roofline and what binds.

    With ``everything`` all memory instructions one by one, and all opcodes.
    """
    parts: list[RenderableType] = [render_launch(run), legend()]
    if run.findings:
        parts += [Text(), render_findings(run)]
    for section in (
        _shared(run, explain, everything),
        _global(run, everything),
        _caches(run),
        _mix(run, None if everything else MAX_OPCODES),
        _occupancy(run),
        _roofline(run),
        _verdicts(run),
    ):
        parts += [Text(), *section]
    return Group(*parts)


def _indented(text: str, style: str = "") -> Padding:
    return Padding(Text(text, style), (0, 0, 0, 4), expand=False)


def _shared(run: Run, explain: Explain, everything: bool) -> Iterator[RenderableType]:
    yield heading("Shared memory")
    rows = shared_rows(run)
    if not rows:
        yield Text("  not used")
        return
    columns = ("requests", "wavefronts", "ideal", "hardware", "conflicts", "n-way")
    marked = [
        (weakest([run_status(run), row.status]), (name, *_shared_cells(row))) for name, row in rows
    ]
    yield MarkedTable(("", *columns), marked)
    if everything:
        one_by_one = [
            (record.status, (*_named(record), *_shared_cells(sum_shared([record]))))
            for record in shared_instructions(run)
            if record.shared_requests
        ]
        yield MarkedTable((*NAMED, *columns), one_by_one, folded=NAMED[-1])
    for spot in find_hotspots(run, explain)[:MAX_LINES]:
        where = place_in_words(spot.source_file, spot.source_line)
        cost = f"{percent(spot.share)} of the conflicts, {number(spot.ways)}-way"
        yield _worst(where, cost, spot.source_text)


def _named(record: InstructionRecord) -> tuple[str, str]:
    """Source line and opcode with modifiers."""
    return "?" if record.source_line is None else str(record.source_line), record.opcode


def _shared_cells(totals: SharedTotals) -> Sequence[Cell]:
    return (
        totals.requests,
        totals.wavefronts,
        totals.ideal,
        totals.hardware,
        totals.conflicts,
        totals.ways,
    )


def _worst(where: str, cost: str, source: str) -> Group:
    head = Text.assemble("  ", (where, "bold"), f"  {cost}")
    return Group(head, _indented(source, "cyan")) if source else Group(head)


def _global(run: Run, everything: bool) -> Iterator[RenderableType]:
    yield heading("Global and local memory")
    rows = [*global_traffic(run), *local_traffic(run)]
    if not rows:
        yield Text("  not used")
        return
    columns = ("requests", "sectors", "ideal", "tags", "sect/req", "B used")
    yield MarkedTable(("", *columns), [(run_status(run), _traffic_cells(row)) for row in rows])
    if everything:
        yield MarkedTable((*NAMED, *columns), list(_accesses(run)), folded=NAMED[-1])
    lines = wasteful_lines(run)
    total = sum(line.excess for line in lines)
    for line in lines[:MAX_LINES]:
        where = place_in_words(line.source_file, line.source_line)
        ratio = number(round(line.sectors / line.ideal, 1)) if line.ideal else "?"
        cost = f"{percent(line.excess / total)} of the excess, {ratio}x the ideal"
        yield _worst(where, cost, line.source_text)


def _accesses(run: Run) -> Iterator[tuple[Status, Sequence[Cell]]]:
    """One row for each space that an instruction touches, in program order."""
    for record in run.instructions:
        for row in (sum_global("", [record]), sum_local("", [record])):
            if row.requests:
                yield run_status(run), (*_named(record), *_traffic_cells(row)[1:])


def _traffic_cells(row: Traffic) -> Sequence[Cell]:
    return (
        row.operation,
        row.requests,
        row.sectors,
        row.ideal,
        row.tags,
        round(row.sectors_per_request, 2),
        round(row.bytes_used_per_sector, 1),
    )


def _caches(run: Run) -> Iterator[RenderableType]:
    yield heading("Caches and DRAM")
    found = [(n, c) for n, c in run.counters.items() if n.startswith(_CACHES)]
    known = [item for item in found if item[1].status is not Status.UNMODELLED]
    if not known:
        yield marked_facts([(Status.UNMODELLED, "L1, L2, DRAM", "unmodelled in this run")])
        return
    rows = [(c.status, (name.replace("_", " "), c.value, c.unit)) for name, c in known]
    yield MarkedTable(("", "", "unit"), rows)


def _mix(run: Run, most: int | None) -> Iterator[RenderableType]:
    yield heading("Instructions")
    status, total = run_status(run), count_all(run)
    rows = [(status, _opcode_cells(count, total)) for count in (*_main_opcodes(run, most), total)]
    yield MarkedTable(("", "executed", "share", "threads", "predicated on", "active"), rows)
    yield marked_facts([*_pipes(run), *_operations(run)])


def _main_opcodes(run: Run, most: int | None) -> Iterator[OpcodeCount]:
    """The most executed opcodes (None: all), then the others together."""
    opcodes = count_opcodes(run)
    yield from opcodes[:most]
    if others := opcodes[most:] if most else ():
        yield add_counts(f"{len(others)} more", others)


def _pipes(run: Run) -> Iterator[Fact]:
    """Warp-instructions of each pipe, those that can be trusted alike on one line."""
    executed = count_all(run).executed
    used = {name: counter for name, counter in count_pipes(run).items() if counter.value}
    for status in (Status.EXACT, Status.BOUNDED):
        texts = [
            f"{name} {counter.value:,.0f} ({percent(counter.value / executed)})"
            for name, counter in used.items()
            if counter.status is status
        ]
        if texts:
            yield status, "pipes", ", ".join(texts)
    if unknown := [name for name, c in used.items() if c.status is Status.UNMODELLED]:
        yield Status.UNMODELLED, "pipes", f"{', '.join(unknown)}: an opcode of no known pipe"


def _operations(run: Run) -> Iterator[Fact]:
    """Threads by floating-point opcode, warps by matrix product, and operations."""
    status, opcodes = run_status(run), count_opcodes(run)
    floats = [c for c in opcodes if c.opcode in FLOAT_OPCODES]
    products = [c for c in opcodes if c.opcode in TENSOR_OPCODES]
    if floats:
        text = ", ".join(f"{c.opcode} {c.predicated_on:,}" for c in floats)
        yield status, "threads", text
    if products:
        yield status, "tensor", ", ".join(f"{c.opcode} {c.executed:,} warps" for c in products)
    flops = count_flops(run)
    kinds = {"FP32": flops.fp32, "FP64": flops.fp64, "FP16": flops.fp16, "tensor": flops.tensor}
    used = [f"{name} {count:,}" for name, count in kinds.items() if count]
    yield status, "FLOP", ", ".join(used) or "none"


def _opcode_cells(count: OpcodeCount, total: OpcodeCount) -> Sequence[Cell]:
    share = percent(count.executed / total.executed) if total.executed else "0%"
    active = round(count.active_threads, 1)
    return (
        count.opcode,
        count.executed,
        share,
        count.thread_executed,
        count.predicated_on,
        active,
    )


def _occupancy(run: Run) -> Iterator[RenderableType]:
    yield heading("Occupancy")
    found = run.occupancy
    if found is None:
        yield marked_facts([(Status.UNMODELLED, "blocks an SM", "not in this run")])
        return
    warps = f"{found.warps_per_sm} of {found.max_warps_per_sm} warps an SM ({percent(found.share)})"
    waves = f"{number(round(found.waves, 2))} waves"
    split = f"{found.carveout_bytes // 1024} KiB shared, {found.l1_bytes // 1024} KiB L1 an SM"
    yield marked_facts(
        [
            (Status.EXACT, "resident", f"{plural(found.blocks_per_sm, 'block')}, {warps}, {waves}"),
            (Status.EXACT, "limits", _limits(found)),
            (Status.EXACT, "taken", _taken(found)),
            (found.carveout_status, "carve-out", split),
            (Status.EXACT, "next", _better(found)),
        ]
    )


def _limits(found: Occupancy) -> str:
    limits = {
        "registers": found.limit_registers,
        "shared": found.limit_shared,
        "warps": found.limit_warps,
        "blocks": found.limit_blocks,
        "barriers": found.limit_barriers,
    }
    parts = [f"{name} {limit}{'*' * (name in found.limiters)}" for name, limit in limits.items()]
    return f"{', '.join(parts)} (* binds)"


def _taken(found: Occupancy) -> str:
    return (
        f"{found.registers_allocated} registers a thread, "
        f"{found.shared_bytes_allocated:,} B shared a block with the reserve"
    )


def _better(found: Occupancy) -> str:
    ways = []
    if found.better_registers is not None:
        more = _more(found.better_registers_blocks)
        ways.append(f"{more} at {found.better_registers} registers a thread")
    if found.better_shared_bytes is not None:
        more = _more(found.better_shared_blocks)
        ways.append(f"{more} at {found.better_shared_bytes:,} B shared a block")
    if not ways:
        return "fewer registers or less shared memory alone fit no more blocks"
    return ", or ".join(ways)


def _more(blocks: int | None) -> str:
    """Runs saved by an earlier version do not say how many."""
    return "another block" if blocks is None else plural(blocks, "block")


def _roofline(run: Run) -> Iterator[RenderableType]:
    yield heading("Intensity and roofline")
    levels = (run.intensity or find_intensity(run)).levels
    rows = [(level.status, _level_cells(level)) for level in levels]
    columns = ("", "bytes", "FLOP/byte", "wavefronts", "FLOP/wavefront")
    yield MarkedTable(columns, rows)
    line = run.roofline or find_roofline(run)
    roofs = ("roof", "cycles >=", "of FP32 %", "work", "unit", "rate")
    yield MarkedTable(roofs, [(roof.status, _roof_cells(line, roof)) for roof in line.roofs])


def _level_cells(level: Level) -> Sequence[Cell]:
    by_byte, by_wavefront = level.flop_per_byte, level.flop_per_wavefront
    return (
        level.name,
        level.bytes,
        None if by_byte is None else round(by_byte, 3),
        level.wavefronts,
        None if by_wavefront is None else round(by_wavefront, 1),
    )


def _roof_cells(line: Roofline, roof: Roof) -> Sequence[Cell]:
    peak = line.peak_share(roof)
    name = f"{roof.name}*" if roof is line.binding else roof.name
    return (
        name,
        None if roof.cycles is None else round(roof.cycles),
        None if peak is None else f"{peak:.1%}",
        roof.amount,
        roof.unit,
        roof.origin,
    )


def _verdicts(run: Run) -> Iterator[RenderableType]:
    yield heading("What binds, and by how much")
    yield Lines([(v.status, v.topic, v.text) for v in find_verdicts(run)])
