"""Are the published times of an RTX 4090 met, in order and within the errors asked for?"""

from __future__ import annotations

import json
import statistics

import pytest

from validation.published import load_published
from validation.published_accuracy import (
    PUBLISHED,
    article,
    chapter_10,
    group_errors,
    load_pairs,
    predict_published,
    rows_of,
)

PAIRS = load_pairs()


def test_the_file_holds_every_published_row_and_its_errors() -> None:
    published = load_published("rtx4090")
    assert published is not None
    rows = list(rows_of(published))
    assert [p.name for p in PAIRS] == [r.published_as.partition(" in ")[0] for r in rows]
    measured = [statistics.fmean(r.warm_us) for r in rows]
    assert [p.published_us for p in PAIRS] == pytest.approx(measured)
    content = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    assert content["groups"] == group_errors(PAIRS)


@pytest.mark.parametrize("name", ["register_tiled_gemm", "coalesced_access"])
def test_a_time_is_predicted_as_the_file_says(name: str) -> None:
    published = load_published("rtx4090")
    assert published is not None
    (row,) = [r for r in rows_of(published) if r.published_as.startswith(f"{name} ")]
    (known,) = [p for p in PAIRS if p.name == name]
    assert predict_published(row) == known


def test_the_article_s_products_are_met_within_8_percent() -> None:
    errors = [abs(p.error) for p in article(PAIRS)]
    assert len(errors) == 6
    assert statistics.fmean(errors) < 0.08


def test_the_article_s_products_keep_their_order() -> None:
    same_size = [p for p in article(PAIRS) if p.name != "register_tiling_gemm"]
    by_published = sorted(same_size, key=lambda p: p.published_us)
    assert sorted(same_size, key=lambda p: p.predicted_us) == by_published
    assert by_published[-1].name == "vectorized_gemm"


def test_chapter_10_is_met_within_10_percent() -> None:
    errors = [abs(p.error) for p in chapter_10(PAIRS)]
    assert len(errors) == 10
    assert statistics.fmean(errors) < 0.10


def test_conflicts_of_a_transpose_cost_what_was_published() -> None:
    found = {p.name: p for p in chapter_10(PAIRS)}
    with_conflicts, without = found["with_bank_conflict"], found["padded_no_conflict"]
    predicted = with_conflicts.predicted_us / without.predicted_us
    assert predicted == pytest.approx(with_conflicts.published_us / without.published_us, abs=0.05)
