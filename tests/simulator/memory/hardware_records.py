"""The recorded request patterns of an NVIDIA H200."""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from simulator.memory.lanes import Addresses

DATA = Path(__file__).parents[2] / "data" / "hardware"
Record = dict[str, Any]


@cache
def load_patterns(name: str) -> list[Record]:
    """The records of ``h200_<name>_patterns``."""
    path = DATA / f"h200_{name}_patterns.json.xz"
    content = json.loads(lzma.decompress(path.read_bytes()))
    assert content["gpu"] == "NVIDIA H200"
    records: list[Record] = content["records"]
    return records


def addresses_of(record: Record, key: str = "offsets") -> Addresses:
    """The record's addresses; a base, where recorded, counts with its low 32 bits."""
    full = np.array(record[key], np.int64) + record.get("base", 0)
    return (full & 0xFFFFFFFF).astype(np.uint32)


def find_misses(record: Record, expected: dict[str, int]) -> list[str]:
    """Names of the recorded fields that differ from what is expected of them."""
    return [name for name, value in expected.items() if name in record and record[name] != value]


def count_recorded(records: list[Record], name: str) -> int:
    """How many records have a field."""
    return sum(name in record for record in records)
