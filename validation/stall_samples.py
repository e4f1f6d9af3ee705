"""Where warps wait, instruction by instruction: ``python -m validation.stall_samples``.

``h200_stall_samples.json.xz`` holds ncu's samples of warps (reasons by instruction) of the
second launch of catalogue kernels and of ``validation.unseen``. They were taken on an NVIDIA H200
with ``ncu --cache-control none --clock-control none --warp-sampling-interval 0 --metrics
group:smsp__pcsamp_warp_stall_reasons,launch__function_pcs python -m validation.launch JOBS RESULTS
--mode profile-again --only NAMES``; ``--read`` takes them out of ncu's raw page. Set beside them is
the predicted share of warp-cycles with warm caches: ``places`` is the part that is spent before
the same instruction in both, ``reasons`` the part that has the same reason there, too.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from simulator.launching import Target, open_catalogue
from simulator.pages import run_script
from simulator.time import predict_target

from .ncu import FUNCTION_ADDRESS, split_instances
from .records import SUFFIX, load_record
from .time_accuracy import RECORDS
from .unseen import open_unseen, unseen_names

SAMPLES = Path(__file__).parent / f"h200_stall_samples{SUFFIX}"
PUBLISHED = Path(__file__).parent / "stall_samples.json"
DEVICE = "h200"
_PREFIX, _WORD = "smsp__pcsamp_warps_issue_stalled_", 16  # bytes of an instruction
_SAME = {"no_instructions": "no_instruction"}  # names that ncu's two families spell otherwise

Places = Mapping[int, Mapping[str, int]]  # instruction -> reason -> samples or warp-cycles


@dataclass(frozen=True, slots=True)
class Agreement:
    """Parts of all warp-cycles, 0 to 1, that prediction and samples have in common."""

    name: str
    samples: int
    places: float
    reasons: float


def read_samples(raw_page: str, names: Sequence[str]) -> dict[str, Places]:
    """Samples by launch out of ncu's raw page (CSV, instances with details), launches in order."""
    lines = raw_page.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith('"ID"'))
    csv.field_size_limit(sys.maxsize)
    rows = [row for row in csv.DictReader(lines[start:]) if row["ID"]]
    return {name: _places(row) for name, row in zip(names, rows, strict=True)}


def _places(row: Mapping[str, str]) -> Places:
    base = min(split_instances(row[FUNCTION_ADDRESS]).values())
    found: dict[int, dict[str, int]] = {}
    for metric, cell in row.items():
        if not metric.startswith(_PREFIX) or metric.endswith("_not_issued"):
            continue
        reason = metric.removeprefix(_PREFIX)
        for address, count in split_instances(cell).items():
            place = found.setdefault((address - base) // _WORD, {})
            place[_SAME.get(reason, reason)] = count
    return dict(sorted(found.items()))


def load_samples() -> dict[str, Places]:
    """The recorded samples by launch."""
    content = json.loads(lzma.decompress(SAMPLES.read_bytes()))
    return {
        name: {int(index): reasons for index, reasons in places.items()}
        for name, places in content["launches"].items()
    }


def save_samples(samples: Mapping[str, Places]) -> None:
    """Write the record."""
    content = {"gpu": "NVIDIA H200", "ncu": "2025.3.1.0", "launches": samples}
    text = json.dumps(content, separators=(",", ":"))
    SAMPLES.write_bytes(lzma.compress(text.encode(), preset=9))


def open_launch_of(name: str) -> Target:
    """The catalogue's or the unseen launch of a name."""
    if name in unseen_names():
        return open_unseen(name, DEVICE)
    record = load_record(RECORDS / f"{name}{SUFFIX}")
    return open_catalogue(record.kernel, record.size, record.seed, DEVICE)


def common(ours: Places, theirs: Places) -> tuple[float, float]:
    """Parts of both sums that are at the same instruction, and for the same reason there."""
    our_sum, their_sum = (sum(sum(p.values()) for p in x.values()) for x in (ours, theirs))
    places = reasons = 0.0
    for index, row in ours.items():
        other = theirs.get(index, {})
        places += min(sum(row.values()) / our_sum, sum(other.values()) / their_sum)
        for reason, cycles in row.items():
            reasons += min(cycles / our_sum, other.get(reason, 0) / their_sum)
    return places, reasons


def compare_samples(name: str, samples: Places) -> Agreement:
    """Predict a launch and set its stalls beside the samples."""
    predicted = predict_target(open_launch_of(name), DEVICE, {}).warm.instruction_stalls
    places, reasons = common(predicted, samples)
    count = sum(sum(row.values()) for row in samples.values())
    return Agreement(name, count, round(places, 3), round(reasons, 3))


def summarise(found: Sequence[Agreement]) -> dict[str, float]:
    """Mean and least agreement, in percent."""
    summary: dict[str, float] = {"launches": len(found)}
    for key in ("places", "reasons"):
        parts = [100 * getattr(agreement, key) for agreement in found]
        summary[f"{key}_mean"] = round(statistics.fmean(parts), 1)
        summary[f"{key}_least"] = round(min(parts), 1)
    return summary


def load_agreements() -> list[Agreement]:
    """The agreements of ``stall_samples.json``."""
    content = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    return [Agreement(**row) for row in content["launches"]]


def main() -> None:
    """Compare and print a line a launch; ``--publish`` writes them for the tests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--publish", action="store_true", help="write stall_samples.json")
    parser.add_argument("--read", type=Path, help="ncu's raw page, to make the record of")
    parser.add_argument("--names", type=Path, help="its launches' names, one a line")
    options = parser.parse_args()
    if options.read:
        names = options.names.read_text(encoding="utf-8").split()
        save_samples(read_samples(options.read.read_text(encoding="utf-8"), names))
    found = []
    for name, samples in load_samples().items():
        found.append(agreement := compare_samples(name, samples))
        print(f"{name:48s} {agreement.places:5.0%} {agreement.reasons:5.0%}", flush=True)
    print(summarise(found))
    if options.publish:
        content = {"summary": summarise(found), "launches": [asdict(x) for x in found]}
        PUBLISHED.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
