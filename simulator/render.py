"""Turns runs into rich renderables; counts nothing itself.

Every text is a ``Text``: machine code is full of square brackets, which rich would read as markup.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from simulator.device import device_names, device_title, load_device
from simulator.frontends.entry import shown_name
from simulator.results import Finding, InstructionRecord, Run
from simulator.shared_report import (
    Explain,
    Hotspot,
    find_hotspots,
    shared_instructions,
    shared_intensity,
    source_text,
    total_shared,
    ways_of,
)

MAX_HOTSPOTS = 5
MAX_FINDINGS = 5
_SEVERE_WAYS = 8
_COUNTS = ("executed", "wavefronts", "ideal", "conflicts", "n-way")
_ROOMY = 30  # columns for the line number and the machine code, with wide and with narrow gaps
_NARROW = 18


def number(value: float, separator: str = ",") -> str:
    """``12,345`` for whole numbers and from 10,000 on, else three significant digits at least."""
    if value == int(value) or abs(value) >= 10_000:
        return f"{value:,.0f}".replace(",", separator)
    return f"{value:.1f}" if value >= 100 else f"{value:.3g}"


def percent(share: float) -> str:
    """``12%``, with ``under 1%`` and ``over 99%`` where rounding would say none or all."""
    if 0 < share < 0.01:
        return "under 1%"
    return "over 99%" if 0.99 < share < 1 else f"{share:.0%}"


def plural(count: int, noun: str) -> str:
    """``1 block``, ``2 blocks``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _ways_style(ways: float) -> str:
    if ways <= 1:
        return ""
    return "red" if ways >= _SEVERE_WAYS else "yellow"


def _dimensions(size: tuple[int, int, int], between: str = "x") -> str:
    return between.join(str(length) for length in size)


def _facts(rows: Sequence[tuple[str, str]]) -> Table:
    """Names on the left, values on the right, values folded."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value))
    return table


def _spills(run: Run) -> str:
    if run.spill_store_bytes is None or run.spill_load_bytes is None:
        return "spills unknown (an older compiler's cubin)"
    if not run.spill_store_bytes and not run.spill_load_bytes:
        return "no spills"
    return f"spills {run.spill_store_bytes:,} B stored, {run.spill_load_bytes:,} B loaded"


def _resources(run: Run) -> str:
    parts = [f"{run.registers} registers a thread", _spills(run)]
    if run.stack_bytes is not None:
        parts.append(f"stack {run.stack_bytes:,} B" if run.stack_bytes else "no stack")
    return ", ".join(parts)


def _sampling(run: Run) -> str:
    sampling = run.sampling
    text = f"{sampling.blocks_replayed:,} of {plural(sampling.blocks_total, 'block')}"
    text += f", {sampling.argument}: {sampling.reason}"
    return f"{text}; bounded, since {sampling.chance}" if sampling.chance else text


def render_launch(run: Run) -> Group:
    """What was launched, on what, and how much of it was replayed."""
    title = Text.assemble(
        (shown_name(run.kernel), "bold cyan"), f" on {device_title(run.device, run.architecture)}"
    )
    shared = f"{run.static_shared_bytes:,} B static, {run.dynamic_shared_bytes:,} B dynamic"
    launch = f"grid {_dimensions(run.grid)}, block {_dimensions(run.block)}"
    rows = [
        ("launch", launch),
        ("resources", _resources(run)),
        ("shared", f"{shared} a block"),
        ("replayed", _sampling(run)),
        ("code", f"{run.compiler or 'given cubin'}, program {run.program_hash[:12]}"),
    ]
    return Group(title, _facts(rows))


def place(file: str | None, line: int | None, with_file: bool) -> str:
    """``kernel.cu:12`` or the line alone; ``?`` where it is not known."""
    if line is None:
        return "?"
    return f"{PurePath(file).name}:{line}" if file and with_file else str(line)


def place_in_words(file: str | None, line: int | None) -> str:
    """``kernel.cu:12``, or what to do to see it."""
    if line is None:
        return "no source line (compile with -lineinfo)"
    return place(file, line, with_file=True)


def _render_finding(run: Run, group: Sequence[Finding]) -> Iterator[RenderableType]:
    """The findings of one check at one source line, told by the first."""
    first = group[0]
    where = place_in_words(first.source_file, first.source_line)
    text = source_text(run, first.source_file, first.source_line)
    yield Text.assemble((where, "bold"), "  ", (text, "cyan"))
    times = plural(sum(finding.count for finding in group), "time")
    among = f" in {plural(len(group), 'instruction')}" if len(group) > 1 else ""
    yield _indented(Text.assemble((f"{first.check}: ", "red"), f"{first.message}"))
    yield _indented(
        Text(
            f"{times}{among}; first: pc {first.pc:#06x}, block {_dimensions(first.block, ',')}, "
            f"thread {_dimensions(first.thread, ',')}"
        )
    )


def render_findings(run: Run) -> RenderableType:
    """What the checks found wrong in the kernel, line by line, in a red frame."""
    groups: dict[tuple[str, str | None, int | None], list[Finding]] = defaultdict(list)
    for finding in run.findings:
        groups[finding.check, finding.source_file, finding.source_line].append(finding)
    parts: list[RenderableType] = []
    for group in list(groups.values())[:MAX_FINDINGS]:
        parts.extend(_render_finding(run, group))
    if len(groups) > MAX_FINDINGS:
        left = plural(len(groups) - MAX_FINDINGS, "more line")
        parts.append(Text(f"and {left}; --json saves all findings", "dim"))
    heading = f"{plural(len(run.findings), 'finding')}: this kernel is wrong"
    return Panel(
        Group(*parts), title=Text(heading, "bold red"), title_align="left", border_style="red"
    )


@dataclass(frozen=True)
class InstructionTable:
    """One row a shared-memory instruction, in program order, and the totals.

    Numbers are never cut: as room gets scarce the gaps shrink, then the thousands separators go,
    and the machine code folds into what is left.
    """

    run: Run

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table that fits ``options.max_width``."""
        for gap, separator in ((2, ","), (1, ","), (1, "")):
            table = self._table(gap, separator)
            fixed = sum(self._number_widths(separator)) + len(_COUNTS) * gap
            if options.max_width - fixed >= (_ROOMY if gap == 2 else _NARROW):
                break
        yield table

    def _counts(self) -> Iterator[tuple[InstructionRecord, tuple[float, ...]]]:
        for record in shared_instructions(self.run):
            yield (
                record,
                (
                    record.executed,
                    record.shared_wavefronts,
                    record.shared_wavefronts_ideal,
                    record.bank_conflicts,
                    ways_of(record),
                ),
            )

    def _totals(self) -> tuple[float, ...]:
        totals = total_shared(self.run)
        executed = sum(record.executed for record, _ in self._counts())
        return (executed, totals.wavefronts, totals.ideal, totals.conflicts, totals.ways)

    def _number_widths(self, separator: str) -> Iterator[int]:
        """Width of each column of numbers; the totals are its largest numbers."""
        for name, total in zip(_COUNTS, self._totals(), strict=True):
            yield max(len(name), len(number(total, separator)))

    def _table(self, gap: int, separator: str) -> Table:
        table = Table(
            box=None, padding=(0, gap, 0, 0), pad_edge=False, show_footer=True, header_style="bold"
        )
        table.add_column("line", justify="right", overflow="fold", style="dim")
        table.add_column("SASS", overflow="fold", footer="total", footer_style="bold")
        for name, total in zip(_COUNTS, self._totals(), strict=True):
            footer = Text(number(total, separator), "bold")
            table.add_column(name, footer, justify="right", no_wrap=True)
        with_file = len({record.source_file for record, _ in self._counts()}) > 1
        for record, counts in self._counts():
            where = place(record.source_file, record.source_line, with_file)
            cells = [Text(number(count, separator)) for count in counts]
            for cell in cells[3:]:
                cell.stylize(_ways_style(counts[-1]))
            table.add_row(Text(where), Text(record.sass.rstrip(" ;")), *cells)
        return table


def render_instructions(run: Run) -> RenderableType:
    """One row a shared-memory instruction, in program order, and the totals."""
    if not shared_instructions(run):
        return Text("No shared-memory instruction in this kernel.")
    return InstructionTable(run)


def _render_hotspot(spot: Hotspot) -> Group:
    where = place_in_words(spot.source_file, spot.source_line)
    count = plural(len(spot.instructions), "instruction")
    cost = f"{count}, {number(spot.ways)}-way, {plural(spot.conflicts, 'conflict')}"
    place = Table.grid(padding=(0, 2, 0, 0))  # so that a long source line wraps below its start
    place.add_row(Text(where, "bold"), Text(spot.source_text, "cyan"))
    lines: list[RenderableType] = [
        place,
        _indented(Text(f"{cost} ({percent(spot.share)} of all)")),
    ]
    if spot.reading:
        lines.append(_indented(Text(spot.reading, _ways_style(spot.ways))))
    return Group(*lines)


def _indented(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2), expand=False)


def render_hotspots(run: Run, explain: Explain) -> RenderableType:
    """The worst source lines, what they cost and what their lanes do."""
    spots = find_hotspots(run, explain)
    if not spots:
        return Text("No bank conflicts.", "green")
    parts: list[RenderableType] = [Text("Bank conflicts, worst first", "bold")]
    parts.extend(_render_hotspot(spot) for spot in spots[:MAX_HOTSPOTS])
    left = spots[MAX_HOTSPOTS:]
    if left:
        share = sum(spot.share for spot in left)
        parts.append(
            Text(f"and {plural(len(left), 'more place')} ({percent(share)} of all)", "dim")
        )
    return Group(*parts)


def render_totals(run: Run) -> RenderableType:
    """Shared-memory sums and the arithmetic intensity against them."""
    totals = total_shared(run)
    share = totals.conflicts / totals.hardware if totals.hardware else 0.0
    intensity = shared_intensity(run)
    rows = [
        ("requests", f"{totals.requests:,} for {totals.bytes:,} bytes"),
        ("wavefronts", f"{totals.wavefronts:,} (ideal {totals.ideal:,}) as on ncu's source page"),
        (
            "conflicts",
            f"{totals.conflicts:,} of {totals.hardware:,} wavefronts ({share:.1%}) as by ncu's "
            "hardware counters",
        ),
        (
            "intensity",
            f"{number(round(intensity.per_byte, 3))} FP32 FLOP per byte of shared memory, "
            f"{number(round(intensity.per_wavefront, 1))} per wavefront",
        ),
    ]
    return Group(Text("Shared memory", "bold"), _facts(rows))


def render_banks(run: Run, explain: Explain) -> Group:
    """The whole page on shared-memory bank conflicts of a run."""
    parts: list[RenderableType] = [render_launch(run), Text()]
    if run.findings:
        parts += [render_findings(run), Text()]
    parts.append(render_instructions(run))
    if total_shared(run).requests:
        parts += [Text(), render_hotspots(run, explain), Text(), render_totals(run)]
    return Group(*parts)


def render_devices() -> Table:
    """One row a GPU that has a data file."""
    table = Table(box=None, padding=(0, 1), pad_edge=False, header_style="bold")
    for name in ("--device", "GPU", "sm"):
        table.add_column(name)
    for name in ("SMs", "shared KiB/SM", "L2 MiB"):
        table.add_column(name, justify="right")
    for device in map(load_device, device_names()):
        table.add_row(
            Text(device.name, "cyan"),
            device.title,
            f"sm_{device.architecture}",
            str(device.sm_count),
            number(device.shared_bytes_per_sm / 1024),
            number(device.l2_bytes / 2**20),
        )
    return table
