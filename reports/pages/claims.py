"""The page on the articles' claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from reports.claims.claim import Answer, Verdict
from reports.figures.claims import variants_chart
from reports.markup import facts, table
from reports.page import Drawing, Markup, Page, Piece, Section

_CLASSES = {
    Verdict.HOLDS: "holds",
    Verdict.PER_THREAD: "per-thread",
    Verdict.FAILS: "fails",
    Verdict.OPEN: "open",
}
_LEAD = (
    "What two articles on matrix products claim, what a replay of the machine code counts, and "
    "how to count it again. A figure may hold per thread, as the source is written, and not per "
    "warp, as the machine code runs."
)


def claims_page(answers: Sequence[Answer]) -> Page:
    """A summary, then one card a claim."""
    return Page(
        "Claims put to the test",
        _LEAD,
        (
            Section("Summary", [_tally(answers), _summary(answers)]),
            Section("Claims", _cards(answers)),
        ),
        "Counted by smreplay without a GPU when this page was made; nothing here is stored.",
    )


def _tally(answers: Sequence[Answer]) -> Markup:
    counts = Counter(answer.verdict for answer in answers)
    return facts([(verdict.value, counts[verdict]) for verdict in Verdict])


def _summary(answers: Sequence[Answer]) -> Markup:
    rows = "".join(
        f"<tr><td>{answer.number}</td><td>{escape(answer.claim)}</td><td>{_badge(answer)}</td></tr>"
        for answer in answers
    )
    return Markup(
        '<div class="scroll"><table><caption>All claims</caption><thead><tr><th></th><th>claim</th>'
        f"<th>verdict</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _badge(answer: Answer) -> str:
    verdict = answer.verdict
    return f'<span class="verdict {_CLASSES[verdict]}">{verdict.value}</span>'


def _cards(answers: Sequence[Answer]) -> list[Piece]:
    pieces: list[Piece] = []
    for answer in answers:
        pieces.append(card(answer))
        if answer.table is not None:
            pieces.append(table(answer.table.caption, answer.table.head, answer.table.rows))
            if answer.charted:
                pieces.append(Drawing(variants_chart(answer.table)))
    return pieces


def card(answer: Answer) -> Markup:
    """One claim with its figures, verdict, reason and commands."""
    commands = "\n".join(answer.again)
    return Markup(
        f'<article class="claim"><h3><span>{answer.number}. {escape(answer.claim)}</span>'
        f"{_badge(answer)}</h3>"
        f"<p><b>Article:</b> {escape(answer.claimed)}<br>"
        f"<b>Replay:</b> {escape(answer.found)}</p>"
        f"<p>{escape(answer.why)}</p><pre>{escape(commands)}</pre></article>"
    )
