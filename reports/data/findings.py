"""Findings of the checks, those of one source line together."""

from __future__ import annotations

import re
from dataclasses import dataclass

from simulator.results import Finding, Run
from simulator.shared_report import source_text

_NUMBER = re.compile(r"0x[0-9a-f]+|\d+")


@dataclass(frozen=True)
class FindingGroup:
    """What one check finds on one line in one way: the first, and how often in all."""

    first: Finding
    text: str
    count: int


def finding_groups(run: Run) -> tuple[FindingGroup, ...]:
    """Groups in the order of their first; messages that differ in numbers alone are one way."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in run.findings:
        way = _NUMBER.sub("#", finding.message)
        key = (finding.check, finding.source_file, finding.source_line, way)
        groups.setdefault(key, []).append(finding)
    return tuple(_group(run, found) for found in groups.values())


def _group(run: Run, found: list[Finding]) -> FindingGroup:
    first = found[0]
    text = source_text(run, first.source_file, first.source_line)
    return FindingGroup(first, text, sum(finding.count for finding in found))
