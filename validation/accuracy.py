"""How accurate the replay is, as committed data and as Markdown for the project's documents.

``accuracy.json`` holds the summary of a comparison with all committed records, and a digest of
what it was made from, so that a test can tell when it is old without replaying anything. The
documents carry the tables between two comment lines each::

    <!-- accuracy:begin -->    <!-- accuracy:end -->      README.md
    <!-- deviations:begin -->  <!-- deviations:end -->    ARCHITECTURE.md
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from simulator.errors import InputError
from simulator.metrics import load_metrics
from simulator.results import Status

from . import deviations
from .comparison import Comparison
from .records import RECORDS_ROOT, SUFFIX
from .show import bound_of, differs_by
from .summary import CounterSummary, summarise, unpredicted

DATA = Path(__file__).parent / "accuracy.json"
SCHEMA = 1
_INPUTS = (deviations.DATA, Path(__file__).parents[1] / "simulator" / "metrics" / "table.json")


@dataclass(frozen=True, slots=True)
class Accuracy:
    """What a comparison with all records of a device came to."""

    gpu: str
    launches: int
    kernels: int
    instructions_equal: int
    instructions_compared: int
    unpredicted: int
    counters: tuple[CounterSummary, ...]
    digest: str


def inputs_digest(root: Path = RECORDS_ROOT) -> str:
    """SHA-256 over the committed records, the metrics table and the deviations."""
    total = hashlib.sha256()
    for path in (*sorted(root.glob(f"*/*{SUFFIX}")), *_INPUTS):
        total.update(path.name.encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def measure_accuracy(found: Comparison, gpu: str) -> Accuracy:
    """The accuracy that a comparison shows.

    Raises:
        InputError: something is wrong or was refused; there is no accuracy to publish then.
    """
    wrong = [launch.kernel for launch in found.launches if launch.wrong] + list(found.refused)
    if wrong:
        raise InputError(f"{', '.join(wrong)}: run python -m validation compare and see why")
    return Accuracy(
        gpu=gpu,
        launches=len(found.launches),
        kernels=len({launch.kernel for launch in found.launches}),
        instructions_equal=sum(launch.instructions_equal for launch in found.launches),
        instructions_compared=sum(launch.instructions_compared for launch in found.launches),
        unpredicted=len(unpredicted(found.launches)),
        counters=tuple(summarise(found.launches)),
        digest=inputs_digest(),
    )


def save_accuracy(accuracy: Accuracy, path: Path = DATA) -> None:
    """Write the committed summary."""
    content: dict[str, Any] = {"schema": SCHEMA, **asdict(accuracy)}
    content["counters"] = list(content["counters"])
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


@cache
def load_accuracy(path: Path = DATA) -> Accuracy:
    """Read the committed summary."""
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["schema"]
    rows = [_counter(row) for row in content.pop("counters")]
    return Accuracy(counters=tuple(rows), **content)


def _counter(row: dict[str, Any]) -> CounterSummary:
    status, numbers = Status(row.pop("status")), tuple(row.pop("deviations"))
    return CounterSummary(status=status, deviations=numbers, **row)


def render_accuracy(accuracy: Accuracy) -> str:
    """The accuracy tables as Markdown."""
    live = [c for c in accuracy.counters if c.nonzero and not c.counter.startswith("outputs")]
    exact = [c for c in live if c.status is Status.EXACT]
    bounded = [c for c in live if c.status is Status.BOUNDED]
    parts = [
        f"Measured on an {accuracy.gpu}: {accuracy.launches} launches of {accuracy.kernels} "
        "kernels, each with cold and with warm caches.",
        f"Counts by instruction (ncu's source page): **{accuracy.instructions_equal:,} of "
        f"{accuracy.instructions_compared:,} equal**.",
        _exact_table(exact),
        _bounded_table(bounded),
        _outputs_line(accuracy.counters),
        f"The records hold {accuracy.unpredicted} more metrics; the times and stall reasons among "
        "them are judged by themselves.",
    ]
    return "\n\n".join(part for part in parts if part)


def _exact_table(items: Sequence[CounterSummary]) -> str:
    groups: dict[str, list[CounterSummary]] = {}
    for item in items:
        groups.setdefault("source page" if item.page else _group(item.counter), []).append(item)
    rows = [
        (name, ", ".join(f"`{c.counter}`" for c in group), _equal(group))
        for name, group in groups.items()
    ]
    return _markdown(("exact counters", "", "equal"), rows)


def _equal(group: Sequence[CounterSummary]) -> str:
    equal, compared = sum(c.equal for c in group), sum(c.compared for c in group)
    known = sorted({number for c in group for number in c.deviations})
    return f"{equal:,} of {compared:,}" + (f" ({', '.join(known)})" if known else "")


def _bounded_table(items: Iterable[CounterSummary]) -> str:
    rows = [
        (
            f"`{c.counter}`",
            f"{c.equal} of {c.compared}",
            differs_by(c) or "0",
            bound_of(c) + (f" of `{c.of}`" if c.of else ""),
        )
        for c in items
    ]
    return _markdown(("bounded counter", "equal", "measured - predicted", "bound"), rows)


def _outputs_line(items: Iterable[CounterSummary]) -> str:
    for item in items:
        if item.counter == "outputs":
            known = f" ({', '.join(item.deviations)})" if item.deviations else ""
            return (
                f"Outputs equal bit for bit in {item.equal} of {item.compared} launches that were "
                f"replayed whole{known}."
            )
    return ""


@cache
def _group_names() -> dict[str, str]:
    return {metric.counter: metric.group for metric in load_metrics()}


def _group(counter: str) -> str:
    return _group_names().get(counter, "")


def render_deviations() -> str:
    """The numbered table of known deviations as Markdown."""
    rows = [(d.id, d.title, d.text) for d in deviations.load_deviations()]
    return _markdown(("", "deviation", "what is known"), rows)


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def fill(text: str, name: str, content: str) -> str | None:
    """``text`` with ``content`` between the markers of ``name``; None where it has none."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if begin not in text or end not in text:
        return None
    head, rest = text.split(begin, 1)
    tail = rest.split(end, 1)[1]
    return f"{head}{begin}\n\n{content}\n\n{end}{tail}"


def fill_document(text: str, accuracy: Accuracy) -> str | None:
    """A document with all tables it has markers for up to date; None where it has no markers."""
    sections = {"accuracy": render_accuracy(accuracy), "deviations": render_deviations()}
    filled = text
    for name, content in sections.items():
        filled = fill(filled, name, content) or filled
    has_markers = any(fill(text, name, "") is not None for name in sections)
    return filled if has_markers else None
