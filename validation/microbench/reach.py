"""What ``reach.cu`` printed and ``tiles.py`` noted, made into ``h200_reach.json``:

python -m validation.microbench.reach OUT.json REACH.txt MERGE.csv TILES.npz ...

An SM's ``place`` is where it stands in the order of parts (``sm_part_sizes``), as everywhere in the
model. Clocks of SMs of one group differ by a few cycles, found from the global timer; those of
groups run at their own pace, so only SMs of one group are compared.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.device import load_device
from simulator.memory.caches.machine import layout_of
from simulator.memory.caches.placement import first_wave
from simulator.pages import run_script

LOADS, HZ = 16_384, 1.98  # of a chain; cycles a nanosecond
COUNTER = "lts__t_sectors_srcunit_tex_op_read.sum"
TABLES = ("table128-b132-c8.warm", "table512-b132-c8.warm")  # no work, lines in L2
TABLE_LOADS = 512
Logs = Mapping[str, NDArray[np.int64]]


def read_printed(path: Path) -> dict[str, list[list[int]]]:
    """Lines of ``reach.cu``: what stands before the first number -> the numbers."""
    found: dict[str, list[list[int]]] = {}
    for line in path.read_text().splitlines():
        head, numbers = line.split(":")
        name, *own = head.split()
        found.setdefault(name, []).append([int(n) for n in (*own, *numbers.split())])
    return found


def read_merged(path: Path) -> list[int]:
    """Sectors that L2 was asked for, by launch."""
    rows = [row for row in csv.reader(path.read_text().splitlines()) if len(row) > 2]
    column = rows[0].index(COUNTER)
    return [int(row[column].replace(",", "")) for row in rows[2:]]


def places_of(order: list[int]) -> NDArray[np.int64]:
    """The place of each SM, by its number, from the order of a launch of one block an SM."""
    found = np.empty(len(order), np.int64)
    found[order] = first_wave(layout_of(load_device("h200")), 1, len(order))
    return found


def clock_offsets(logs: Logs, place: NDArray[np.int64]) -> NDArray[np.int64]:
    """What each SM's clock shows beyond that of its group, by place: medians over all launches.
    The ticks of the global timer are seen up to a turn of the loop late, so the earliest counts."""
    group, rows = layout_of(load_device("h200")).group_of_sm(), []
    for name in (key for key in logs if key.endswith(".clock")):
        timer, clock = logs[name][..., 0], logs[name][..., 1]
        seen = np.empty(len(place))
        seen[place] = (clock - HZ * (timer - timer[0, 0])).min(1)
        for number in np.unique(group):
            seen[group == number] -= np.median(seen[group == number])
        rows.append(seen)
    return np.rint(np.median(rows, axis=0)).astype(np.int64)


def starts_of(logs: Logs, place: NDArray[np.int64]) -> dict[str, list[int]]:
    """Launches in which all SMs begin: by place when the first block began, beside the first SM of
    the group and beyond what the order of blocks makes of it."""
    each = float(np.array(load_device("h200").facts["timing_launch_block_cycles"].value))
    group, offset = layout_of(load_device("h200")).group_of_sm(), clock_offsets(logs, place)
    first_sm = np.searchsorted(group[np.argsort(group, kind="stable")], group)
    first_sm = np.argsort(group, kind="stable")[first_sm]
    found = {}
    for name in (key.removesuffix(".log") for key in logs if key.endswith(".log")):
        log = logs[f"{name}.log"].astype(np.int64)
        block, clock = np.full(len(place), -1), np.zeros(len(place), np.int64)
        for number in reversed(range(len(log))):
            block[place[log[number, 0]]], clock[place[log[number, 0]]] = number, log[number, 1]
        if (block >= 0).all():
            apart = (clock - offset - (clock - offset)[first_sm] + (1 << 31)) % (1 << 32)
            ordered = each * (block - block[first_sm])
            found[name] = np.rint(apart - (1 << 31) - ordered).astype(int).tolist()
    return found


def paces_of(logs: Logs, place: NDArray[np.int64]) -> dict[str, list[float]]:
    """Cycles of a load of ``table_loop`` by place."""
    found = {}
    for name in TABLES:
        log = logs[f"{name}.log"].astype(np.int64)
        pace = np.empty(len(place))
        pace[place[log[:, 0]]] = (log[:, -1] - log[:, 1]) % (1 << 32) / TABLE_LOADS
        found[name] = np.round(pace, 2).tolist()
    return found


def condense(printed: Path, merged: Path, noted: Sequence[Path]) -> dict[str, Any]:
    """The record."""
    lines, sectors = read_printed(printed), read_merged(merged)
    order = lines["order"][0]
    place, runs = places_of(order), [dict(np.load(path)) for path in noted]
    chain = np.empty(len(place))
    for sm, *cycles in lines["chain"]:
        chain[place[sm]] = np.median(cycles) / LOADS
    rows = np.array(sectors).reshape(-1, len(order))
    by_place = np.empty_like(rows)
    by_place[:, place[order]] = rows
    return {
        "schema": 1,
        "gpu": {"name": "NVIDIA H200", "multiprocessors": len(order)},
        "what": "reach.cu and tiles.py (see reach.py): by place; clusters are places",
        "chain_cycles": np.round(chain, 2).tolist(),
        "table_cycles": [paces_of(logs, place) for logs in runs],
        "clusters": [sorted(place[sms].tolist()) for _, *sms in lines["cluster"]],
        "merged_sectors": by_place.tolist(),
        "late_cycles": [starts_of(logs, place) for logs in runs],
    }


def main() -> None:
    """Read, condense, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("out", "printed", "merged"):
        parser.add_argument(name, type=Path)
    parser.add_argument("noted", type=Path, nargs="+")
    options = parser.parse_args()
    record = condense(options.printed, options.merged, options.noted)
    rows = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in record.items())
    options.out.write_text("{\n" + rows.replace("], ", "],\n  ") + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
