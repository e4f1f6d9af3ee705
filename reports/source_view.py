"""The source of a kernel with its shared wavefronts beside each line, SASS below on demand."""

from __future__ import annotations

from html import escape
from pathlib import PurePath

from reports.data.lines import LineRow, SourceLine, source_lines
from reports.figures.style import short
from reports.page import Markup
from simulator.results import InstructionRecord, Run

# Rows of SASS on a page, shared out among the lines: unrolled code would fill megabytes.
MOST_SASS, LEAST_SASS = 4000, 40


def source_view(run: Run) -> tuple[Markup, ...]:
    """One listing for each source text of the run; empty when it holds none."""
    used = {record.source_file for record in run.instructions}
    return tuple(_listing(run, file) for file in run.source_text if file in used)


def _listing(run: Run, file: str) -> Markup:
    lines = source_lines(run, file)
    used = [line.row for line in lines if line.row]
    most = max((row.totals.wavefronts for row in used), default=0)
    room = max(LEAST_SASS, MOST_SASS // max(1, len(used)))
    body = "".join(_line(line, most, room) for line in lines)
    name = escape(PurePath(file).name)
    return Markup(
        f"<p><b>{name}</b> <span class=note>Bars: wavefronts (orange) and their ideal (blue) of "
        "each line's shared requests. Lines with a bar or a count open to show their SASS."
        f'</span></p><div class="source" tabindex="0" role="region" aria-label="{name}">{body}'
        "</div>"
    )


def _line(line: SourceLine, most: int, room: int) -> str:
    text = f"<pre>{escape(line.text) or ' '}</pre>"
    if line.row is None:
        return f'<div><span class="n">{line.number}</span><span></span>{text}</div>'
    hot = ' class="hot"' if line.row.totals.conflicts else ""
    return (
        f'<details{hot}><summary><span class="n">{line.number}</span>{_bars(line.row, most)}{text}'
        f"</summary>{_sass(line.row, room)}</details>"
    )


def _bars(row: LineRow, most: int) -> str:
    totals = row.totals
    if not totals.wavefronts or not most:
        return '<span class="bars"></span>'
    wide, ideal = (100 * value / most for value in (totals.wavefronts, totals.ideal))
    title = f"{totals.wavefronts:,} wavefronts, ideal {totals.ideal:,}"
    return (
        f'<span class="bars" title="{title}"><span><i style="width:{wide:.2f}%"></i>'
        f'<i class="ideal" style="width:{ideal:.2f}%"></i></span>'
        f"<b>{short(totals.wavefronts)}</b></span>"
    )


def chosen_records(row: LineRow, room: int) -> list[InstructionRecord]:
    """At most ``room`` instructions of a line in program order, those of shared memory first."""
    by_worth = sorted(row.records, key=lambda r: (-r.shared_wavefronts, -r.executed, r.index))
    return sorted(by_worth[:room], key=lambda record: record.index)


def _sass(row: LineRow, room: int) -> str:
    head = "<tr><th>address</th><th>SASS</th>" + "".join(
        f"<th>{name}</th>" for name in ("executed", "wavefronts", "ideal", "conflicts")
    )
    rows = "".join(_sass_row(record) for record in chosen_records(row, room))
    left = len(row.records) - room
    more = f"<p class=note>{left:,} more instructions of this line.</p>" if left > 0 else ""
    return f'<div class="sass"><table><thead>{head}</tr></thead>{rows}</table>{more}</div>'


def _sass_row(record: InstructionRecord) -> str:
    counts = (record.executed, record.shared_wavefronts, record.shared_wavefronts_ideal)
    cells = "".join(f"<td>{value:,}</td>" for value in (*counts, record.bank_conflicts))
    return f"<tr><td>{record.pc:#06x}</td><td>{escape(record.sass)}</td>{cells}</tr>"
