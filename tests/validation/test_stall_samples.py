"""Do warps wait where ncu's samples say, as far as published?"""

from __future__ import annotations

import json

import numpy as np
import pytest

from validation.stall_samples import (
    PUBLISHED,
    common,
    compare_samples,
    load_agreements,
    load_samples,
    read_samples,
    summarise,
)

AGREEMENTS = {agreement.name: agreement for agreement in load_agreements()}
SAMPLES = load_samples()


def test_samples_come_from_the_raw_page_by_instruction() -> None:
    stall = "smsp__pcsamp_warps_issue_stalled_"
    head = ("ID", "launch__function_pcs", f"{stall}wait", f"{stall}wait_not_issued",
            f"{stall}no_instructions")  # fmt: skip
    row = ("0", "256 (k: 256)", "5 (0x100: 2; 0x120: 3)", "1 (0x120: 1)", "4 (0x120: 4)")
    page = "==PROF==\n" + "\n".join(",".join(f'"{x}"' for x in line) for line in (head, row))
    page = page.replace("(k:", "(0:")
    assert read_samples(page, ["a"]) == {"a": {0: {"wait": 2}, 2: {"wait": 3, "no_instruction": 4}}}


def test_common_parts() -> None:
    ours = {0: {"wait": 2}, 1: {"barrier": 1, "wait": 1}}
    theirs = {0: {"wait": 1}, 1: {"barrier": 1}, 2: {"wait": 2}}
    assert np.allclose(common(ours, theirs), 0.5)
    assert np.allclose(common(ours, {1: {"drain": 3}}), (0.5, 0.0))
    assert np.allclose(common(ours, ours), 1.0)


def test_the_summary_follows_from_every_sampled_launch() -> None:
    assert AGREEMENTS.keys() == SAMPLES.keys()
    content = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    assert content["summary"] == summarise([*AGREEMENTS.values()])


def test_most_warp_cycles_are_spent_where_they_were_sampled() -> None:
    summary = summarise([*AGREEMENTS.values()])
    assert summary["places_mean"] > 65
    assert summary["reasons_mean"] > 58


@pytest.mark.parametrize("name", ["tiled_gemm-m1024-n1024-k1024", "scan_blelloch-n1048576"])
def test_a_launch_agrees_as_published(name: str) -> None:
    assert compare_samples(name, SAMPLES[name]) == AGREEMENTS[name]
