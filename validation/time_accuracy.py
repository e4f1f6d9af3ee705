"""How far predicted times are from measured ones: ``python -m validation.time_accuracy``.

Cold predictions are set beside ncu's ``gpu__time_duration`` with flushed caches, the median of
several launches where there are any (``validation.repeats --times``; a record's is one launch, and
those of a few microseconds differ by a fifth), warm ones beside launches back to back in a graph.
Predictions see the records only here. Launches of kernels that nothing in the model was made with
(``validation.unseen``) are a group of their own.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from simulator.errors import InputError, UnknownNameError
from simulator.launching import Target, open_catalogue
from simulator.pages import run_script
from simulator.time import predict_target
from simulator.timing.report import SPREAD_MEASURED
from validation.accuracy import fill
from validation.records import SUFFIX, Record, check_program, load_record, record_paths
from validation.unseen import OWN, open_unseen, unseen_names

RECORDS = Path(__file__).parent / "records" / "h200"
UNSEEN = Path(__file__).parent / "records" / "h200_unseen"
REPEATED = Path(__file__).parent / "h200_cold_times.json"
PUBLISHED = Path(__file__).parent / "time_accuracy.json"
LONG_US = 5.0
_GEMM = ("gemm", "register_tiling")


@dataclass(frozen=True, slots=True)
class Pair:
    """Measured and predicted microseconds of one launch."""

    name: str
    cold_measured: float
    cold_predicted: float
    warm_measured: float
    warm_predicted: float

    @property
    def cold_error(self) -> float:
        """Relative error, positive when predicted too long."""
        return self.cold_predicted / self.cold_measured - 1.0

    @property
    def warm_error(self) -> float:
        """Relative error, positive when predicted too long."""
        return self.warm_predicted / self.warm_measured - 1.0

    @property
    def is_gemm(self) -> bool:
        """Whether the kernel multiplies matrices."""
        return any(word in self.name for word in _GEMM)

    @property
    def is_long(self) -> bool:
        """Whether the launch takes more than ``LONG_US``, cold."""
        return self.cold_measured > LONG_US


@dataclass(frozen=True, slots=True)
class Summary:
    """Mean absolute and largest error of a group, and how many measured times lie in the predicted
    interval, all in percent."""

    launches: int
    cold_mean: float
    warm_mean: float
    cold_worst: float
    warm_worst: float
    cold_inside: float
    warm_inside: float


def compare_record(name: str, record: Record, device: str) -> Pair | None:
    """Predict the launch of a catalogue kernel's record; None when it holds no times or no cold
    counters."""
    if "cold" not in record.metrics or not record.times.get("warm_us"):
        return None
    return _pair(
        name, record, device, open_catalogue(record.kernel, record.size, record.seed, device)
    )


def compare_unseen(name: str, device: str) -> Pair:
    """Predict a launch of ``validation.unseen``."""
    record = load_record(UNSEEN / f"{name}{SUFFIX}")
    return _pair(name, record, device, open_unseen(name, device))


@cache
def repeated_times() -> Mapping[str, Sequence[float]]:
    """Microseconds of several launches with flushed caches, by launch."""
    found: dict[str, list[float]] = json.loads(REPEATED.read_text(encoding="utf-8"))["launches"]
    return found


def cold_time(name: str, record: Record) -> float:
    """Microseconds of a launch with flushed caches: the median of several, or the record's."""
    again = repeated_times().get(name)
    if again:
        return statistics.median(again)
    return float(record.metrics["cold"]["gpu__time_duration.sum"]) / 1000.0


def warm_time(name: str, record: Record) -> float:
    """Microseconds of a launch that finds in L2 what the one before left: one of many back to back,
    or where those would find other work, one under ncu, which gives it the memory of the first."""
    if name in OWN and OWN[name].once:
        return float(record.metrics["warm"]["gpu__time_duration.sum"]) / 1000.0
    return statistics.median(record.times["warm_us"])


def _pair(name: str, record: Record, device: str, target: Target) -> Pair:
    check_program(record, target.kernel.program_hash, target.kernel.compiler)
    found = predict_target(target, device, {})
    return Pair(
        name,
        cold_time(name, record),
        found.cold.microseconds,
        warm_time(name, record),
        found.warm.microseconds,
    )


def summarise(pairs: Sequence[Pair]) -> Summary:
    """Errors of a group of launches."""
    cold = [abs(p.cold_error) * 100 for p in pairs]
    warm = [abs(p.warm_error) * 100 for p in pairs]
    means = (statistics.fmean(cold), statistics.fmean(warm))
    inside = (
        share_inside((p.cold_measured, p.cold_predicted) for p in pairs),
        share_inside((p.warm_measured, p.warm_predicted) for p in pairs),
    )
    return Summary(len(pairs), *(round(x, 1) for x in (*means, max(cold), max(warm), *inside)))


def share_inside(times: Iterable[tuple[float, float]]) -> float:
    """How many measured times of (measured, predicted) lie in the interval around the predicted
    one, in percent."""
    found = [abs(measured / predicted - 1) <= SPREAD_MEASURED for measured, predicted in times]
    return 100 * sum(found) / len(found)


def groups(pairs: Sequence[Pair]) -> dict[str, Summary]:
    """Errors of all launches, of the long ones, and of the long matrix products."""
    chosen = {
        "all": list(pairs),
        "over_5_us": [p for p in pairs if p.is_long],
        "gemm_over_5_us": [p for p in pairs if p.is_long and p.is_gemm],
    }
    return {name: summarise(group) for name, group in chosen.items() if group}


def table(pairs: Sequence[Pair]) -> str:
    """One line a launch, worst first, then the groups."""
    head = f"{'cold us':>9s} {'predicted':>9s} {'':6s} {'warm us':>9s} {'predicted':>9s}"
    lines = [f"{'launch':48s} {head}"]
    for p in sorted(pairs, key=lambda p: -max(abs(p.cold_error), abs(p.warm_error))):
        lines.append(
            f"{p.name:48s} {p.cold_measured:9.2f} {p.cold_predicted:9.2f} {p.cold_error:+6.1%} "
            f"{p.warm_measured:9.2f} {p.warm_predicted:9.2f} {p.warm_error:+6.1%}"
        )
    for name, s in groups(pairs).items():
        lines.append(
            f"{name}: {s.launches} launches, mean error cold {s.cold_mean} %, "
            f"warm {s.warm_mean} %; worst {s.cold_worst} %, {s.warm_worst} %; "
            f"in the interval {s.cold_inside} %, {s.warm_inside} %"
        )
    return "\n".join(lines)


def recorded_names() -> list[str]:
    """The names of the catalogue's launches."""
    return [path.name.removesuffix(SUFFIX) for path in record_paths("h200")]


def seen_pairs(only: str) -> list[Pair]:
    """The launches of the catalogue whose names hold a text."""
    names = recorded_names()
    records = {name: load_record(RECORDS / f"{name}{SUFFIX}") for name in names if only in name}
    found = (compare_record(name, record, "h200") for name, record in records.items())
    return [pair for pair in found if pair is not None]


def publish(seen: Sequence[Pair], unseen: Sequence[Pair]) -> None:
    """Write ``time_accuracy.json``."""
    content: dict[str, object] = {}
    for name, pairs in (("", seen), ("unseen_", unseen)):
        content[f"{name}groups"] = {key: asdict(s) for key, s in groups(pairs).items()}
        content[f"{name}launches"] = {p.name: asdict(p) for p in pairs}
    PUBLISHED.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


_TITLES = {
    "all": "all",
    "over_5_us": "over 5 us",
    "gemm_over_5_us": "matrix products over 5 us",
}


def render_groups(content: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """The published errors of the groups as a Markdown table."""
    lines = [
        "| launches on an NVIDIA H200 |  | cold: mean, worst | warm: mean, worst | "
        "in the interval: cold, warm |",
        "| --- | --- | --- | --- | --- |",
    ]
    for key, title in (("groups", "catalogue"), ("unseen_groups", "unseen kernels")):
        for name, group in content[key].items():
            errors = (
                f"{group[f'{state}_mean']:.1f} %, {group[f'{state}_worst']:.1f} %"
                for state in ("cold", "warm")
            )
            count = f"{group['launches']:.0f}"
            inside = f"{group['cold_inside']:.0f} %, {group['warm_inside']:.0f} %"
            cells = (f"{title}, {_TITLES[name]}", count, *errors, inside)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def write_table(path: Path) -> None:
    """Fill the published errors into a document, between its markers.

    Raises:
        InputError: there are none.
    """
    content = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    text = fill(path.read_text(encoding="utf-8"), "times", render_groups(content))
    if text is None:
        raise InputError(f"{path} has no markers <!-- times:begin --> and <!-- times:end -->")
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Compare every record and print the tables; ``--publish`` writes them for the tests and
    ``--write`` fills the published ones into a document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="part of a record's name")
    parser.add_argument("--publish", action="store_true", help="write time_accuracy.json")
    parser.add_argument("--write", type=Path, help="document whose table to fill, nothing else")
    options = parser.parse_args()
    if options.write:
        write_table(options.write)
        return
    seen = seen_pairs(options.only)
    unseen = [compare_unseen(x, "h200") for x in unseen_names() if options.only in x]
    if not seen and not unseen:
        raise UnknownNameError("launch", options.only, recorded_names())
    for title, pairs in (("Catalogue", seen), ("Unseen kernels", unseen)):
        if pairs:
            print(f"{title}\n{table(pairs)}\n")
    if options.publish:
        publish(seen, unseen)


if __name__ == "__main__":
    run_script(main)
