"""What warps do, predicted and by ncu: ``python -m validation.stall_accuracy``.

The records hold ``smsp__warps_issue_stalled_*`` of whole launches: cycles that warps spent for
each reason. Set beside them is the predicted share of every reason, with warm caches; ``overlap``
is the part of all warp-cycles that both give to the same reason. Where in a kernel a reason strikes
is compared by ``stall_samples``. Beside them stand achieved occupancy, issue utilisation and the
active cycles of the busiest SM, measured and predicted; ncu's first two are means over all SMs.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from simulator.launching import open_catalogue
from simulator.pages import run_script
from simulator.time import predict_target

from .records import RECORDS_ROOT, SUFFIX, Record, load_record

PUBLISHED = Path(__file__).parent / "stall_accuracy.json"
DEVICE = "h200"
LONG_US = 5.0
_PREFIX, _SUFFIX = "smsp__warps_issue_stalled_", ".sum"
_ISSUED, _DURATION = "smsp__inst_issued.sum", "gpu__time_duration.sum"


@dataclass(frozen=True, slots=True)
class StallPair:
    """Warp-cycles an issued instruction by reason, measured and predicted."""

    name: str
    measured: Mapping[str, float]
    predicted: Mapping[str, float]
    occupancy: Sequence[float] = (0.0, 0.0)
    issue: Sequence[float] = (0.0, 0.0)
    cycles: Sequence[float] = (1.0, 1.0)

    @property
    def overlap(self) -> float:
        """Part of all warp-cycles that has the same reason in both, 0 to 1."""
        ours, theirs = _shares(self.predicted), _shares(self.measured)
        return sum(min(share, theirs.get(name, 0.0)) for name, share in ours.items())


def _shares(cycles: Mapping[str, float]) -> dict[str, float]:
    total = sum(cycles.values())
    return {name: n / total for name, n in cycles.items()}


def measured_stalls(metrics: Mapping[str, float]) -> dict[str, float]:
    """Warp-cycles an issued instruction by reason, from the counters of a launch."""
    issued = metrics[_ISSUED]
    return {
        name.removeprefix(_PREFIX).removesuffix(_SUFFIX): round(cycles / issued, 3)
        for name, cycles in metrics.items()
        if name.startswith(_PREFIX) and cycles
    }


def compare_stalls(name: str, record: Record) -> StallPair:
    """Predict the launch of a record."""
    target = open_catalogue(record.kernel, record.size, record.seed, DEVICE)
    found, metrics = predict_target(target, DEVICE, {}).warm, record.metrics["warm"]
    predicted = {reason: round(cycles, 3) for reason, cycles in found.stalls.items()}
    occupancy, issue, cycles = measured_use(metrics)
    return StallPair(
        name,
        measured_stalls(metrics),
        predicted,
        [occupancy, round(found.achieved_occupancy, 4)],
        [issue, round(found.issue_utilisation, 4)],
        [cycles, found.cycles_active],
    )


def measured_use(metrics: Mapping[str, float]) -> tuple[float, float, float]:
    """Achieved occupancy and issue utilisation, 0 to 1, and active cycles of the busiest SM."""
    occupancy = metrics["sm__warps_active.avg.pct_of_peak_sustained_active"] / 100
    issue = metrics[_ISSUED] / metrics["smsp__cycles_active.sum"]
    return round(occupancy, 4), round(issue, 4), metrics["sm__cycles_active.max"]


def is_long(record: Record) -> bool:
    """Whether a record has counters with warm caches and takes more than ``LONG_US``."""
    return record.metrics.get("warm", {}).get(_DURATION, 0.0) > LONG_US * 1000.0


def summarise(pairs: Sequence[StallPair]) -> dict[str, float]:
    """Mean and least overlap, in percent; how far four of five predictions of occupancy and issue
    are off at most, in points, and of cycles, in percent."""
    overlaps = [100 * p.overlap for p in pairs]
    return {
        "launches": len(overlaps),
        "mean": round(statistics.fmean(overlaps), 1),
        "least": round(min(overlaps), 1),
        "occupancy_points": _four_of_five(100 * (p.occupancy[1] - p.occupancy[0]) for p in pairs),
        "issue_points": _four_of_five(100 * (p.issue[1] - p.issue[0]) for p in pairs),
        "cycles_percent": _four_of_five(100 * (p.cycles[1] / p.cycles[0] - 1) for p in pairs),
    }


def _four_of_five(differences: Iterable[float]) -> float:
    """What four of five differences do not exceed, either way."""
    sizes = sorted(map(abs, differences))
    return round(sizes[math.ceil(0.8 * len(sizes)) - 1], 1)


def load_pairs() -> list[StallPair]:
    """The pairs of ``stall_accuracy.json``."""
    content = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    return [StallPair(**row) for row in content["launches"]]


def main() -> None:
    """Compare the long launches and print a line each; ``--publish`` writes them for the tests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--publish", action="store_true", help="write stall_accuracy.json")
    options = parser.parse_args()
    pairs = []
    for path in sorted((RECORDS_ROOT / DEVICE).glob(f"*{SUFFIX}")):
        record = load_record(path)
        if is_long(record):
            pairs.append(pair := compare_stalls(path.name.removesuffix(SUFFIX), record))
            print(f"{pair.name:48s} {pair.overlap:.0%}")
    summary = summarise(pairs)
    print(f"{summary['launches']} launches: mean {summary['mean']} %, least {summary['least']} %")
    print(
        f"four of five within {summary['occupancy_points']} points of occupancy, "
        f"{summary['issue_points']} of issue, {summary['cycles_percent']} % of cycles"
    )
    if options.publish:
        content = {"summary": summary, "launches": [asdict(p) for p in pairs]}
        PUBLISHED.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
