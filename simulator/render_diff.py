"""A comparison of two runs as a page; counts nothing itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import PurePath

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from simulator.diff import Change, LineDiff, RunDiff
from simulator.render import number, plural
from simulator.render_parts import heading, legend, mark

# More of these is worse; of the others nobody can say.
COSTS = {
    "bank_conflicts",
    "cycles_at_least",
    "dram_read_bytes",
    "dram_write_bytes",
    "executed",
    "global_sectors",
    "l2_read_sectors",
    "l2_write_sectors",
    "local_sectors",
    "microseconds_cold",
    "microseconds_warm",
    "registers",
    "shared_wavefronts",
    "shared_wavefronts_hardware",
    "spill_load_bytes",
    "spill_store_bytes",
    "stack_bytes",
}


# Totals that are always shown; of what is missing here the others follow.
MAIN_TOTALS = {
    "registers",
    "static_shared_bytes",
    "dynamic_shared_bytes",
    "spill_store_bytes",
    "spill_load_bytes",
    "stack_bytes",
    "warps_per_sm",
    "cycles_at_least",
    "microseconds_cold",
    "microseconds_warm",
    "executed",
    "shared_wavefronts_hardware",
    "bank_conflicts",
    "global_sectors",
    "local_sectors",
    "l1_hit_rate",
    "l2_read_sectors",
    "l2_write_sectors",
    "dram_read_bytes",
    "dram_write_bytes",
}
# What a line shows of its changes.
SHOWN = {
    "bank_conflicts",
    "global_sectors",
    "global_sectors_ideal",
    "local_sectors",
    "local_sectors_ideal",
    "shared_wavefronts",
    "shared_wavefronts_hardware",
}


def render_diff(diff: RunDiff, everything: bool = False) -> Group:
    """What differs: words about the launch, totals, then line by line.

    Lines that differ in executed instructions only are counted, or shown with ``everything``.
    """
    parts: list[RenderableType] = [heading("Two runs: before and after"), legend()]
    if diff.facts:
        parts.append(_facts(diff.facts))
    parts += [Text(), heading("Totals that differ"), _totals(diff, everything), Text()]
    if not diff.lines:
        parts.append(Text("No source line differs.", "green"))
        return Group(*parts)
    parts += _sections(diff.lines, everything)
    return Group(*parts)


def _facts(facts: Sequence[tuple[str, str, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for name, before, after in facts:
        table.add_row(name, Text(before), Text(after))
    return table


def _totals(diff: RunDiff, everything: bool) -> RenderableType:
    changed = [change for change in diff.totals if change.difference]
    if not changed:
        return Text("none", "green")
    shown = [change for change in changed if everything or change.name in MAIN_TOTALS]
    table = _table()
    for change in shown:
        table.add_row(mark(change.status), change.name.replace("_", " "), *_cells(change))
    left = len(changed) - len(shown)
    more = Text(f"and {plural(left, 'more counter')}; --all shows them" if left else "", "dim")
    return Group(table, more) if left else table


def _table() -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("", no_wrap=True)
    table.add_column("", overflow="fold")
    for name in ("before", "after", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _sections(lines: Sequence[LineDiff], everything: bool) -> Iterator[RenderableType]:
    shown = [line for line in lines if everything or _memory_changes(line)]
    if shown:
        yield heading("Memory by source line and opcode" if not everything else "By source line")
        yield _lines(shown, everything)
    left = len({_place(line) for line in lines} - {_place(line) for line in shown})
    if left:
        differ = f"{plural(left, 'more line')} {'differs' if left == 1 else 'differ'}"
        text = f"{differ} in executed instructions only; --all shows them"
        yield Text(text, "dim")


def _memory_changes(line: LineDiff) -> tuple[Change, ...]:
    return tuple(change for change in line.changed if change.name in SHOWN)


def _lines(lines: Sequence[LineDiff], everything: bool) -> Table:
    table = _table()
    for (file, before, after, text), group in groupby(lines, _place):
        table.add_row("", _title(file, before, after, text))
        for line in group:
            for change in line.changed if everything else _memory_changes(line):
                name = f"  {line.opcode} {change.name.replace('_', ' ')}"
                table.add_row(mark(change.status), name, *_cells(change))
    return table


def _place(line: LineDiff) -> tuple[str | None, int | None, int | None, str]:
    return line.file, line.line_before, line.line_after, line.text


def _title(file: str | None, before: int | None, after: int | None, text: str) -> Text:
    name = PurePath(file).name if file else "?"
    if before is None and after is None:
        lines = ""
    elif before == after:
        lines = f":{before}"
    else:
        lines = f":{before or '-'} > {after or '-'}"
    return Text.assemble((f"{name}{lines}", "bold"), "  ", (text, "cyan"))


def _cells(change: Change) -> tuple[Text, Text, Text]:
    style = ""
    if change.name in COSTS:
        style = "red" if (change.difference or 0) > 0 else "green"
    values = ["-" if v is None else number(v) for v in (change.before, change.after)]
    return Text(values[0]), Text(values[1]), Text(_relative(change), style)


def _relative(change: Change) -> str:
    if not change.before:
        return "new"
    if not change.after:
        return "gone"
    difference = change.after - change.before
    share = difference / change.before
    if abs(share) < 0.0005:
        return f"{difference:+,.0f}"
    return f"{share:+.1%}" if share < 10 else f"{change.after / change.before:,.0f}x"
