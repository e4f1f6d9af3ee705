"""The launches of ``l1.cu``.

``python -m validation.microbench.l1_list programs|half|rows > LIST`` writes them, and
``... record LOG LOG-OF-HALF CSV > h200_l1.json`` keeps what came of them: for each program how many
of its noted loads took longer than L1 does, for rows ncu's counters.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.pages import run_script

LOAD, STORE, LOCAL_LOAD, LOCAL_STORE = range(4)
ALL = 0xFFFFFFFF
OTHERS = 8192  # lines that no other operation of a program touches
SLOW = 250  # cycles: L1 answers in 133 to 166, L2 in 260 and more
COLUMNS = {
    "loads": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "load_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "reads": "lts__t_sectors_srcunit_tex_op_read.sum",
}


def mix(number: int, seed: int) -> int:
    """Numbers by chance, as the program draws them."""
    low = 0xFFFFFFFF
    mixed = (number * 0x9E3779B1 + seed * 0x85EBCA6B) & low
    mixed = ((mixed ^ mixed >> 15) * 0x85EBCA77) & low
    return mixed ^ mixed >> 13


@dataclass(frozen=True)
class Op:
    """Lines ``first``, ``first + step`` and so on, or others (see ``l1.cu``)."""

    kind: int
    count: int
    first: int = 0
    mask: int = ALL
    step: int = 1
    range: int = 0
    seed: int = 0
    log: bool = False

    def __str__(self) -> str:
        return (
            f"{self.kind}:{self.mask:#x}:{self.first}:{self.count}:{self.step}:{self.range}"
            f":{self.seed}:{int(self.log)}"
        )

    def lines(self) -> Iterator[int]:
        """The lines in the order in which one warp touches them."""
        for n in range(self.count):
            row, at = divmod(n, 2 * self.step)
            if self.range > 0:
                yield self.first + mix(n, self.seed) % self.range
            elif self.range == 0:
                yield self.first + n * self.step
            elif at < self.step:
                yield self.first + row * self.step + at
            else:
                yield self.first + max(0, row + self.range) * self.step + at - self.step


@dataclass(frozen=True)
class Program:
    """Operations that one warp does one after the other, L1 being empty before."""

    label: str
    ops: tuple[Op, ...]

    def __str__(self) -> str:
        return " ".join([self.label, "1 1", *map(str, self.ops)])


def _load(count: int, first: int = 0, log: bool = False) -> Op:
    return Op(LOAD, count, first, log=log)


def footprints() -> Iterator[Program]:
    """As many lines as fit, and more: in a row, far apart, by chance, at steps."""
    for n in (1700, 1720, 1728, 1732, 1736, 1740, 1744, 1760, 1800, 1900, 2100, 2600):
        yield Program(f"cycle-{n}", (_load(n), _load(n, log=True)))
        yield Program(f"cycle3-{n}", (_load(n), _load(n), _load(n, log=True)))
    for n in (1728, 2000, 2600, 4000):
        yield Program(f"chance-{n}", (Op(LOAD, 8000, range=n, seed=n, log=True),))
    for n in (600, 900, 1200, 1500):
        for seed in (4, 5):
            far = (n, 0, ALL, 1, 1 << 20, seed)
            yield Program(f"far-{n}-{seed}", (Op(LOAD, *far), Op(LOAD, *far, log=True)))
    for step in (5, 7, 9, 27, 81, 43, 144, 432, 864, 1728):
        ops = (Op(LOAD, 1600, step=step), Op(LOAD, 1600, step=step, log=True))
        yield Program(f"step-{step}", ops)


def kept() -> Iterator[Program]:
    """Lines used once, twice and three times before others come, and two such groups."""
    for n in (200, 400, 800):
        for others in (800, 1200, 1600, 2000, 2600, 3500, 5000, 8000):
            for times in (1, 2, 3):
                ops = (*[_load(n)] * times, _load(others, OTHERS), _load(n, log=True))
                yield Program(f"keep-{n}-{times}-{others}", ops)
    for n in (400, 600, 800, 1000):
        a, b = _load(n), _load(n, 4096)
        for others in (400, 800, 1600):
            for name, before in (("both", (a, a, b, b)), ("old", (a, a, b)), ("mid", (a, b, a))):
                for which, first in enumerate((0, 4096)):
                    ops = (*before, _load(others, OTHERS), _load(n, first, True))
                    yield Program(f"{name}-{n}-{others}-{which}", ops)


def uses() -> Iterator[Program]:
    """What counts as using a line: loads and stores (S; s, P: of some words) and other sectors."""
    n = 400
    load, store, word = _load(n), Op(STORE, n), Op(STORE, n, mask=1)
    sector, next_one = Op(LOAD, n, mask=0xFF), Op(LOAD, n, mask=0xFF00)
    kinds = {
        "SL": (store, load), "LS": (load, store), "SS": (store, store), "S": (store,),
        "LP": (sector, next_one), "PP": (sector, sector), "P": (sector,), "sL": (word, load),
        "LsL": (load, word),
    }  # fmt: skip
    for others in (1200, 1600, 2600):
        for name, ops in kinds.items():
            again = Op(LOAD, n, mask=0xFF, log=True)
            yield Program(f"kind-{name}-{others}", (*ops, _load(others, OTHERS), again))
        twice = (_load(others, OTHERS), _load(others, OTHERS))
        yield Program(f"twice-{others}", (load, load, *twice, _load(n, log=True)))
        stored = Op(STORE, others, OTHERS)
        yield Program(f"stored-{others}", (load, load, stored, _load(n, log=True)))


def streams() -> Iterator[Program]:
    """Rows that are used again when so many others have come."""
    for lines, late in (
        (64, 1), (64, 4), (64, 8), (64, 12), (64, 16), (64, 20), (32, 8), (32, 16), (32, 24),
        (32, 32), (16, 16), (16, 48),
    ):  # fmt: skip
        op = Op(LOAD, 8192 // (2 * lines) * 2 * lines, step=lines, range=-late, log=True)
        yield Program(f"stream-{lines}-{late}", (op,))


PARTS = (
    (0x1, 0x1), (0x1, 0x2), (0x1, 0x3), (0x1, 0xFF), (0xF, 0xF), (0xF, 0xFF), (0xFF, 0xFF),
    (0xFF, 0xFFFF), (0x1, 0x100), (0x7F, 0x1), (0x01010101, 0x01010101), (0x01010101, 0x02020202),
)  # fmt: skip


def parts() -> Iterator[Program]:
    """What can be read of a line of which words were stored, before and after it was read."""
    for load, store, name in ((LOAD, STORE, "global"), (LOCAL_LOAD, LOCAL_STORE, "local")):
        for stored, read in PARTS:
            part, found = Op(store, 64, mask=stored), Op(load, 64, mask=read, log=True)
            label = f"{stored:x}-{read:x}"
            yield Program(f"{name}-new-{label}", (part, found))
            yield Program(f"{name}-again-{label}", (part, Op(load, 64, mask=read), found))
            away = (Op(store, 64), _load(4000, OTHERS))
            yield Program(f"{name}-away-{label}", (*away, part, found))
            yield Program(f"{name}-had-{label}", (Op(load, 64), part, found))
        for first, then, read in ((0xF, 0xF0, 0xFF), (0x1, 0xFE, 0xFF), (0x1, 0x2, 0x3)):
            both = (Op(store, 64, mask=first), Op(store, 64, mask=then))
            label = f"{name}-two-{first:x}-{then:x}"
            yield Program(label, (*both, Op(load, 64, mask=read, log=True)))
        pushed = (Op(store, 64, mask=0xF), _load(4000, OTHERS), Op(store, 64, mask=0xF0))
        for read in (0xF, 0xF0, 0xFF):
            yield Program(f"{name}-back-{read:x}", (*pushed, Op(load, 64, mask=read, log=True)))


def halves() -> Iterator[Program]:
    """Beside 132 KiB of shared memory (50 percent), with room for 936 lines."""
    for n in (300, 600, 800, 900):
        for others in (1200, 2000):
            ops = (_load(n), _load(n), _load(others, OTHERS), _load(n, log=True))
            yield Program(f"keep-{n}-2-{others}", ops)
    for n in (200, 300, 400, 500, 600):
        before = (*[_load(n)] * 2, *[_load(n, 4096)] * 2, _load(1200, OTHERS))
        for which, first in enumerate((0, 4096)):
            yield Program(f"both-{n}-1200-{which}", (*before, _load(n, first, True)))
    for n in (900, 920, 936, 940, 944, 960, 1000, 1100):
        yield Program(f"cycle-{n}", (_load(n), _load(n, log=True)))


PASSES = ("RR", "RRR", "RW", "RRW", "Wr", "WrWr", "RWr", "RRWr", "RRWrW", "WWr", "RWRWR")


def rows() -> Iterator[str]:
    """Rows in one wave of blocks and in many."""
    for columns in (256, 512, 1024, 1536, 2048, 3072):
        for waves in (1, 8):
            for passes in PASSES:
                count = 132 * 8 * waves
                yield f"{passes}-{columns}-{waves} {columns} {count} {passes}"


def programs() -> Iterator[Program]:
    """All programs."""
    for part in (footprints, kept, uses, streams, parts):
        yield from part()


def _counted(path: Path) -> dict[str, dict[str, int]]:
    """ncu's rows by label, in the order of the list."""
    table = [row for row in csv.reader(path.read_text().splitlines()) if len(row) > len(COLUMNS)]
    places = {name: table[0].index(metric) for name, metric in COLUMNS.items()}
    return {
        text.split()[0]: {name: int(row[at].replace(",", "")) for name, at in places.items()}
        for text, row in zip(rows(), table[2:], strict=True)
    }


def _lost(log: Path, wanted: Iterator[Program]) -> dict[str, int]:
    """Slow loads by program."""
    noted = {}
    for text in log.read_text().splitlines():
        label, *cycles = text.split()
        noted[label] = [int(c) for c in cycles]
    return {p.label: sum(c >= SLOW for c in noted[p.label]) for p in wanted}


def make_record(log: Path, half: Path, counters: Path) -> dict[str, Any]:
    """What is kept of a run."""
    return {
        "schema": 1,
        "gpu": "NVIDIA H200",
        "columns": {
            "lost": f"noted loads of a program that took {SLOW} cycles or more, with 32 KiB of "
            "shared memory; half: with 132 KiB",
            **COLUMNS,
        },
        "lost": _lost(log, programs()),
        "half": _lost(half, halves()),
        "launches": _counted(counters),
    }


def main() -> None:
    """Print what the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words = parser.add_subparsers(dest="what", required=True)
    lists = {"rows": rows, "half": halves, "programs": programs}
    for name in lists:
        words.add_parser(name)
    record = words.add_parser("record")
    for name in ("log", "half", "counters"):
        record.add_argument(name, type=Path)
    options = parser.parse_args()
    if options.what == "record":
        print(json.dumps(make_record(options.log, options.half, options.counters), indent=1))
    else:
        print(*lists[options.what](), sep="\n")


if __name__ == "__main__":
    run_script(main)
