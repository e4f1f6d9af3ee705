"""Predicted beside published times of a GPU: ``python -m validation.published_accuracy``.

The article's matrix products and what its chapter on memory times, on an RTX 4090. Which machine
code ran there is not known: these are the catalogue's kernels, and kernels rebuilt from the
descriptions.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from kernels.workload import Dim3, Launch
from simulator.arguments import parse_arguments
from simulator.launching import Target, open_catalogue, open_source
from simulator.pages import run_script
from simulator.time import predict_target

from .published import Published, PublishedTime, RebuiltTime, load_published

DEVICE = "rtx4090"
SOURCES = Path(__file__).parent / "published_kernels"
PUBLISHED = Path(__file__).parent / "published_accuracy.json"
_ARTICLE = "04_GEMM_Optimization"
_CHAPTER_10 = "10_Memory_Optimization"


@dataclass(frozen=True, slots=True)
class PublishedPair:
    """Published (mean of the runs) and predicted microseconds; ``group`` is the chapter."""

    name: str
    group: str
    published_us: float
    predicted_us: float

    @property
    def error(self) -> float:
        """Relative error, positive when predicted too long."""
        return self.predicted_us / self.published_us - 1.0


def open_published(row: PublishedTime | RebuiltTime) -> Target:
    """The kernel and launch of a published time."""
    if isinstance(row, PublishedTime):
        return open_catalogue(row.kernel, dict(row.size), 0, DEVICE)
    grid, block = _dim3(row.grid), _dim3(row.block)
    arguments = parse_arguments(row.arguments)
    return open_source(SOURCES / row.source, row.entry, DEVICE, (), Launch(grid, block), arguments)


def _dim3(values: object) -> Dim3:
    assert isinstance(values, list | tuple)
    x, y, z = (*values, 1, 1)[:3]
    return x, y, z


def predict_published(row: PublishedTime | RebuiltTime) -> PublishedPair:
    """Predict one row."""
    name, _, file = row.published_as.partition(" in ")
    found = predict_target(open_published(row), DEVICE, {})
    mean = statistics.fmean(row.warm_us)
    return PublishedPair(name, file.split("/")[0], mean, found.warm.microseconds)


def rows_of(published: Published) -> Iterator[PublishedTime | RebuiltTime]:
    """All rows that can be predicted."""
    yield from published.times
    yield from published.rebuilt


def load_pairs() -> list[PublishedPair]:
    """The pairs of ``published_accuracy.json``."""
    content = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    return [PublishedPair(**row) for row in content["launches"]]


def group_errors(pairs: list[PublishedPair]) -> dict[str, dict[str, float]]:
    """Mean absolute and largest error of each chapter, in percent."""
    found = {}
    for group in sorted({p.group for p in pairs}):
        errors = [abs(p.error) * 100 for p in pairs if p.group == group]
        mean, worst = round(statistics.fmean(errors), 1), round(max(errors), 1)
        found[group] = {"launches": len(errors), "mean": mean, "worst": worst}
    return found


def article(pairs: list[PublishedPair]) -> list[PublishedPair]:
    """The six matrix products of the article."""
    return [p for p in pairs if p.group == _ARTICLE]


def chapter_10(pairs: list[PublishedPair]) -> list[PublishedPair]:
    """The chapter on memory."""
    return [p for p in pairs if p.group == _CHAPTER_10]


def main() -> None:
    """Predict every row and print the table; ``--publish`` writes it for the tests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--publish", action="store_true", help="write published_accuracy.json")
    options = parser.parse_args()
    published = load_published(DEVICE)
    assert published is not None
    pairs = []
    for row in rows_of(published):
        pairs.append(pair := predict_published(row))
        print(
            f"{pair.name:24s} {pair.published_us:8.1f} {pair.predicted_us:8.1f} {pair.error:+6.1%}"
        )
    groups = group_errors(pairs)
    for name, s in groups.items():
        print(f"{name}: {s['launches']} launches, mean error {s['mean']} %, worst {s['worst']} %")
    if options.publish:
        content = {"groups": groups, "launches": [asdict(p) for p in pairs]}
        PUBLISHED.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
