"""A comparison as text for a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from simulator.results import Status

from .deviations import load_deviations
from .published import Published
from .published_accuracy import load_pairs
from .rows import PAGE, Launch, Row, Verdict
from .summary import CounterSummary, unpredicted

WIDTH = 80
_WHERE = {PAGE: "page", "cold": "cold", "warm": "warm", "output": "output", "time": ""}


def launch_title(launch: Launch) -> str:
    """``tiled_gemm k=64 m=64 n=64``."""
    return " ".join([launch.kernel, *(f"{name}={n}" for name, n in launch.size.items())])


def launch_line(launch: Launch) -> Text:
    """One launch in a line: what is equal, what is within bounds, what is wrong."""
    exact = [r for r in launch.rows if r.status is Status.EXACT]
    equal = sum(r.verdict is Verdict.EQUAL for r in exact)
    bounded = [r for r in launch.rows if r.status is Status.BOUNDED]
    within = sum(r.verdict in (Verdict.EQUAL, Verdict.WITHIN) for r in bounded)
    known = sorted({r.deviation for r in launch.rows if r.deviation})
    text = Text(f"{launch_title(launch)[:42]:42} ")
    text.append("WRONG " if launch.wrong else "ok    ", "bold red" if launch.wrong else "green")
    text.append(f"{equal}/{len(exact)} exact, {within}/{len(bounded)} bounded")
    text.append(f" {' '.join(known)}" if known else "", "yellow")
    return text


def launch_details(launch: Launch, everything: bool = False) -> RenderableType:
    """All numbers of a launch that are not zero on both sides.

    Of those that are only measured the times alone, unless ``everything`` is asked for.
    """
    parts: list[RenderableType] = [Text(launch_title(launch), "bold")]
    parts.append(
        Text(
            f"{launch.instructions_equal:,} of {launch.instructions_compared:,} counts by "
            f"instruction equal; {launch.sampling}"
        )
    )
    parts += [Text(f"  {line}", "red") for line in launch.wrong_instructions[:20]]
    kept = _without_equal_twins(
        [row for row in launch.rows if row.predicted or row.measured or row.where == "output"]
    )
    parts += [_row_table(title, rows) for title, rows in _sections(kept) if rows]
    parts += _only_measured([r for r in kept if r.verdict is Verdict.NOT_PREDICTED], everything)
    return Group(*parts)


def _sections(kept: Sequence[Row]) -> Iterable[tuple[str, list[Row]]]:
    yield "exact", [r for r in kept if r.status is Status.EXACT and r.verdict is not Verdict.KNOWN]
    timed = [r for r in kept if r.verdict is Verdict.ESTIMATE]
    yield "bounded", [r for r in kept if r.status is Status.BOUNDED and r not in timed]
    yield "time, us", timed
    yield "known deviation", [r for r in kept if r.verdict is Verdict.KNOWN]


def _only_measured(rows: Sequence[Row], everything: bool) -> Iterable[RenderableType]:
    shown = [row for row in rows if everything or row.where == "time"]
    if shown:
        yield _measured_table(shown)
    if len(shown) < len(rows):
        yield Text(f"and {len(rows) - len(shown)} metrics that are not predicted: --details", "dim")


def _without_equal_twins(rows: Sequence[Row]) -> list[Row]:
    """Warm rows only where they say other than the cold ones."""
    cold = {(r.counter, r.measured) for r in rows if r.where == "cold"}
    return [r for r in rows if r.where != "warm" or (r.counter, r.measured) not in cold]


def _row_table(title: str, rows: Sequence[Row]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", width=WIDTH, padding=(0, 1, 0, 0))
    table.add_column(title, ratio=1, overflow="fold")
    for name in ("predicted", "measured", "difference", "bound"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        style = "bold red" if row.verdict is Verdict.WRONG else ""
        where = _WHERE[row.where]
        name = row.counter if where in ("cold", "output") else f"{row.counter} ({where})"
        if row.difference_name and row.difference:
            name += f": {row.difference_name}"
        cells = (number(row.predicted), number(row.measured), signed(row.difference))
        table.add_row(name, *cells, row.deviation or _bound(row), style=style)
    return table


def _measured_table(rows: Sequence[Row]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", width=WIDTH, padding=(0, 1, 0, 0))
    table.add_column("measured only (not predicted)", ratio=1, overflow="fold")
    table.add_column("measured", justify="right", no_wrap=True)
    for row in rows:
        where = f" ({row.where})" if row.where == "warm" else ""
        table.add_row(row.metric + where, f"{number(row.measured)} {row.unit}".strip())
    return table


def _bound(row: Row) -> str:
    if row.low is None or row.high is None or not row.scale:
        return ""
    low, high = row.low / row.scale, row.high / row.scale
    return share_text(low, high, is_multiple(high))


def is_multiple(high: float | None) -> bool:
    """Whether a bound goes beyond the prediction itself and is better read as a multiple."""
    return high is not None and high > 1


def share_text(low: float, high: float, multiple: bool) -> str:
    """Two shares of a prediction: ``0..12%``, or as multiples of it ``0..8x``."""
    factor, unit = (1, "x") if multiple else (100, "%")
    ends = [f"{float(f'{factor * share:.2g}'):g}" for share in (low, high)]
    return f"{ends[0]}..{ends[1]}{unit}"


def number(value: float | None) -> str:
    """A count with thousands separated; other numbers with three decimals."""
    if value is None:
        return ""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3f}"


def signed(value: float | None) -> str:
    """A difference with its sign."""
    if not value:
        return "" if value is None else "0"
    return ("+" if value > 0 else "-") + number(abs(value))


def summary_table(items: Sequence[CounterSummary]) -> Table:
    """One line a counter: how often equal, the extremes of its error, its bound."""
    table = Table(box=None, pad_edge=False, header_style="dim", width=WIDTH, padding=(0, 1, 0, 0))
    table.add_column("counter", ratio=1, overflow="fold")
    for name in ("status", "equal", "differs by", "bound"):
        table.add_column(name, justify="right", no_wrap=True)
    for item in items:
        if not item.nonzero and not _is_output(item):
            continue
        name = item.counter + (" (page)" if item.page else "")
        last = " ".join(item.deviations) if item.deviations else bound_of(item)
        style = "bold red" if item.wrong else ""
        cells = (item.status.value, f"{item.equal}/{item.compared}", differs_by(item), last)
        table.add_row(name, *cells, style=style)
    return table


def _is_output(item: CounterSummary) -> bool:
    return item.counter.startswith("outputs")


def bound_of(item: CounterSummary) -> str:
    """The bound on a counter; empty for an exact one."""
    if item.low is None or item.high is None:
        return ""
    return share_text(item.low, item.high, is_multiple(item.high))


def differs_by(item: CounterSummary) -> str:
    """The extremes of measured - predicted as shares; empty where nothing differs."""
    if item.equal == item.compared or item.unscaled:
        return ""
    return share_text(item.least, item.most, is_multiple(item.high))


def summary_lines(launches: Sequence[Launch], items: Sequence[CounterSummary]) -> list[Text]:
    """The comparison in a few sentences."""
    equal = sum(launch.instructions_equal for launch in launches)
    total = sum(launch.instructions_compared for launch in launches)
    exact = [i for i in items if i.status is Status.EXACT and i.nonzero and not _is_output(i)]
    right = sum(i.equal == i.compared for i in exact)
    known = sum(i.equal < i.compared and not i.wrong for i in exact)
    bounded = [i for i in items if i.status is Status.BOUNDED and i.nonzero]
    within = sum(not i.wrong for i in bounded)
    lines = [
        f"{equal:,} of {total:,} counts by instruction equal, in {len(launches)} launches.",
        f"Exact counters equal everywhere: {right} of {len(exact)}"
        + (f"; {known} more but for known deviations." if known else "."),
        f"Bounded counters within their bounds: {within} of {len(bounded)}.",
        f"Measured and not predicted: {len(unpredicted(launches))} metrics, times among them.",
    ]
    return [Text(line) for line in lines]


def deviation_lines(items: Sequence[CounterSummary]) -> list[Text]:
    """The titles of the deviations that these summaries name."""
    named = {number for item in items for number in item.deviations}
    return [Text(f"{d.id}: {d.title}", "dim") for d in load_deviations() if d.id in named]


def published_table(published: Published, kernels: Sequence[str]) -> RenderableType:
    """Published times beside predictions (``published_accuracy.json``)."""
    table = Table(box=None, pad_edge=False, header_style="dim", width=WIDTH, padding=(0, 1, 0, 0))
    table.add_column("kernel", ratio=1, overflow="fold")
    for name in ("published us", "predicted us", "error"):
        table.add_column(name, justify="right", no_wrap=True)
    predicted = {pair.name: pair for pair in load_pairs()}
    for row in published.times:
        if not kernels or row.kernel in kernels:
            size = " ".join(f"{name}={n}" for name, n in row.size.items())
            pair = predicted[row.published_as.partition(" in ")[0]]
            numbers = (number(pair.published_us), number(pair.predicted_us), f"{pair.error:+.1%}")
            table.add_row(f"{row.kernel} {size}", *numbers)
    for other in published.rebuilt if not kernels else ():
        pair = predicted[other.published_as.partition(" in ")[0]]
        numbers = (number(pair.published_us), number(pair.predicted_us), f"{pair.error:+.1%}")
        table.add_row(f"{pair.name} (rebuilt)", *numbers)
    return Group(Text(published.gpu, "bold"), Text(f"source: {published.source}", "dim"), table)
