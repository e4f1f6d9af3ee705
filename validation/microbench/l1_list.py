"""The launches of ``l1.cu``: ``python -m validation.microbench.l1_list programs|rows > LIST``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

LOAD, STORE, LOCAL_LOAD, LOCAL_STORE, MIXED = 0, 1, 2, 3, 10
ALL = 0xFFFFFFFF
AGAIN = 8192  # lines that no other operation of a program touches


@dataclass(frozen=True)
class Op:
    """Lines ``first``, ``first + step`` and so on, or by chance of ``range`` (see ``l1.cu``)."""

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


@dataclass(frozen=True)
class Program:
    """Operations that ``warps`` warps of one block do one after the other."""

    label: str
    ops: tuple[Op, ...]
    warps: int = 1

    def __str__(self) -> str:
        return " ".join([self.label, str(self.warps), *map(str, self.ops)])


def footprints() -> Iterator[Program]:
    """As many lines as fit, and more; by one warp and by many; stored ones among them."""
    for count in (1600, 1700, 1720, 1740, 1760, 1800, 1900, 2100):
        for warps in (1, 16):
            ops = (Op(LOAD, count), Op(LOAD, count, log=True))
            yield Program(f"cycle-{count}-{warps}", ops, warps)
    for count in (1600, 1740, 1800, 2100):
        ops = (Op(STORE, count), Op(LOAD, count, log=True))
        yield Program(f"stored-{count}", ops)
    for loads, stores in ((800, 800), (1200, 400), (400, 1200), (1200, 700), (700, 1200)):
        loaded, stored = Op(LOAD, loads, log=True), Op(STORE, stores, AGAIN)
        ops = (Op(LOAD, loads), stored, loaded)
        yield Program(f"beside-{loads}-{stores}", ops)
        ops = (Op(STORE, stores, AGAIN), Op(LOAD, loads), Op(LOAD, stores, AGAIN, log=True))
        yield Program(f"before-{loads}-{stores}", ops)
        ops = (Op(LOAD, loads), Op(STORE, stores, AGAIN, mask=1), loaded)
        yield Program(f"part-{loads}-{stores}", ops)


def renewed() -> Iterator[Program]:
    """Of two halves one is used again before others come: which of them goes."""
    for fresh in (300, 600, 800):
        for how in (None, LOAD, STORE):
            used = () if how is None else (Op(how, 800),)
            ops = (Op(LOAD, 800), Op(LOAD, 800, 800), *used, Op(LOAD, fresh, AGAIN))
            for half in (0, 800):
                found = Op(LOAD, 800, half, log=True)
                yield Program(f"renew-{how}-{fresh}-{half}", (*ops, found))


def traces() -> Iterator[Program]:
    """Lines by chance, of one warp and of many, with and without stores."""
    for lines in (600, 1200, 1728, 2000, 2600, 4000):
        for warps in (1, 16):
            for stores in (0, 30):
                op = Op(MIXED + stores, 7000, range=lines, seed=lines + stores, log=True)
                yield Program(f"chance-{lines}-{stores}-{warps}", (op,), warps)
    for lines in (600, 900, 1200):  # far apart
        op = Op(LOAD, lines, range=1 << 20, seed=3)
        yield Program(f"far-{lines}", (op, Op(LOAD, lines, range=1 << 20, seed=3, log=True)))
    for step in (2, 3, 32, 33, 128, 1024, 4096):
        op = Op(LOAD, 1600, step=step)
        yield Program(f"step-{step}", (op, Op(LOAD, 1600, step=step, log=True)))


PARTS = (
    (0x1, 0x1), (0x1, 0x2), (0x1, 0x3), (0x1, 0xFF), (0xF, 0xF), (0xF, 0xFF), (0xFF, 0xFF),
    (0xFF, 0xFFFF), (0x1, 0x100), (0x7F, 0x1), (0x01010101, 0x01010101), (0x01010101, 0x02020202),
)  # fmt: skip


def parts() -> Iterator[Program]:
    """What can be read of a line of which words were stored, before and after it was read."""
    for load, store, name in ((LOAD, STORE, "global"), (LOCAL_LOAD, LOCAL_STORE, "local")):
        for stored, read in PARTS:
            ops = (Op(store, 64, mask=stored), Op(load, 64, mask=read, log=True))
            yield Program(f"{name}-new-{stored:x}-{read:x}", ops)
            again = Op(load, 64, mask=read, log=True)
            yield Program(f"{name}-again-{stored:x}-{read:x}", (*ops, again))
            # All of the lines in L2, none in L1, before.
            away = (Op(store, 64), Op(LOAD, 4000, AGAIN))
            yield Program(f"{name}-away-{stored:x}-{read:x}", (*away, *ops))
            had = Op(load, 64)
            yield Program(f"{name}-had-{stored:x}-{read:x}", (had, *ops))
        for first, then, read in ((0xF, 0xF0, 0xFF), (0x1, 0xFE, 0xFF), (0x1, 0x2, 0x3)):
            ops = (Op(store, 64, mask=first), Op(store, 64, mask=then))
            yield Program(f"{name}-two-{first:x}-{then:x}", (*ops, Op(load, 64, mask=read, log=True)))
        # Parts that were stored when others pushed the line out, and are read.
        ops = (Op(store, 64, mask=0xF), Op(LOAD, 4000, AGAIN), Op(store, 64, mask=0xF0))
        for read in (0xF, 0xF0, 0xFF):
            yield Program(f"{name}-back-{read:x}", (*ops, Op(load, 64, mask=read, log=True)))


def spills() -> Iterator[Program]:
    """Local lines among global ones."""
    for count in (200, 400, 500):
        for others in (1000, 1300, 1600, 2000):
            ops = (Op(LOCAL_STORE, count), Op(LOAD, others, AGAIN))
            yield Program(f"spill-{count}-{others}", (*ops, Op(LOCAL_LOAD, count, log=True)))
            ops = (Op(LOAD, others, AGAIN), Op(LOCAL_STORE, count))
            yield Program(f"push-{count}-{others}", (*ops, Op(LOAD, others, AGAIN, log=True)))


PASSES = ("RR", "RRR", "RW", "RRW", "Wr", "WrWr", "RWr", "RRWr", "RRWrW", "WWr", "RWRWR")


def rows() -> Iterator[str]:
    """Rows in one wave of blocks and in many."""
    for columns in (256, 512, 1024, 1536, 2048, 3072):
        for waves in (1, 8):
            for passes in PASSES:
                count = 132 * 8 * waves
                yield f"{passes}-{columns}-{waves} {4 * columns} {count} {passes}"


def main() -> None:
    """Print every launch."""
    if sys.argv[1] == "rows":
        print(*rows(), sep="\n")
        return
    for part in (footprints, renewed, traces, parts, spills):
        print(*part(), sep="\n")


if __name__ == "__main__":
    main()
