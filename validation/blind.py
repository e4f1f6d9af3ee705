"""Sets of launches that were predicted before they were measured (``blind_predictions.json``).

``python -m validation.blind SET`` predicts a set of ``later_launches`` and keeps what it says; a
set that is kept stays as it is, since only the first prediction is blind. The sets are in the order
in which they were measured, the errors are those of that day's model.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.errors import ArgumentError
from simulator.pages import run_script
from validation import later_launches
from validation.records import SUFFIX, load_record
from validation.time_accuracy import UNSEEN, cold_time, share_inside, warm_time
from validation.unseen import OWN, open_unseen

DATA = Path(__file__).parent / "blind_predictions.json"
DEVICE = "h200"
COUNTERS = (
    "l1_hit_rate", "l2_read_sectors", "dram_read_bytes", "l2_read_sectors_warm",
    "dram_read_bytes_warm",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Look:
    """What was predicted of one set on a day: ``cold_us``, ``warm_us`` and counters by launch."""

    set: str
    date: str
    launches: Mapping[str, Mapping[str, float]]

    def times(self) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
        """Measured and predicted microseconds of every launch, cold and warm."""
        cold, warm = [], []
        for name, predicted in self.launches.items():
            record = load_record(UNSEEN / f"{name}{SUFFIX}")
            cold.append((cold_time(name, record), predicted["cold_us"]))
            warm.append((warm_time(name, record), predicted["warm_us"]))
        return cold, warm

    def errors(self) -> tuple[list[float], list[float]]:
        """Absolute errors of the times in percent, cold and warm."""
        cold, warm = ([abs(p / m - 1) * 100 for m, p in times] for times in self.times())
        return cold, warm

    def row(self) -> str:
        """The set's row in README's table."""
        cold, warm = self.errors()
        kernels = len({OWN[name].source for name in self.launches})
        means, medians = (
            ", ".join(f"{f(e):.1f} %" for e in (cold, warm))
            for f in (statistics.fmean, statistics.median)
        )
        worst = ", ".join(f"{max(e):.1f} %" for e in (cold, warm))
        inside = ", ".join(f"{share_inside(times):.0f} %" for times in self.times())
        size = f"{len(self.launches)} of {kernels} kernels"
        return f"| {self.set} | {size} | {means} | {medians} | {worst} | {inside} |"


def load_looks() -> tuple[Look, ...]:
    """All sets in order."""
    return tuple(Look(**row) for row in json.loads(DATA.read_text(encoding="utf-8"))["looks"])


def predict(name: str) -> dict[str, float]:
    """Times in us and counters of one launch."""
    from simulator.launching import replay_target

    run = replay_target(open_unseen(name, DEVICE), DEVICE, "auto", caches=True, time=True)
    assert run.time is not None  # asked for
    times = {
        "cold_us": round(run.time.cold.microseconds, 2),
        "warm_us": round(run.time.warm.microseconds, 2),
    }
    counters = {key: run.counters[key].value for key in COUNTERS if key in run.counters}
    return times | {key: round(value, 2) for key, value in counters.items()}


def keep(name: str, launches: Sequence[Any]) -> None:
    """Predict a set and append it to the file.

    Raises:
        ArgumentError: the set was predicted before.
    """
    content = json.loads(DATA.read_text(encoding="utf-8"))
    if any(row["set"] == name for row in content["looks"]):
        raise ArgumentError(f"the set {name!r} was predicted before, and only that was blind")
    found = {}
    for item in launches:
        found[item.name] = predict(item.name)
        print(item.name, found[item.name]["cold_us"], found[item.name]["warm_us"], flush=True)
    content["looks"].append({"set": name, "date": time.strftime("%Y-%m-%d"), "launches": found})
    DATA.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Predict one set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", choices=sorted(later_launches.SETS))
    name = parser.parse_args().set
    keep(name, later_launches.SETS[name])


if __name__ == "__main__":
    run_script(main)
