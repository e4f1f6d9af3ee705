"""Does README say what the predictions that were made before measuring were off by?"""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import ArgumentError
from validation import blind
from validation.holdout_launches import HOLDOUT
from validation.later_launches import SETS

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("look", blind.load_looks(), ids=lambda look: look.set)
def test_readme_gives_the_errors_of_a_look(look: blind.Look) -> None:
    items = {"first": HOLDOUT, **SETS}[look.set]
    assert set(look.launches) == {item.name for item in items}
    assert look.row() in README


def test_every_set_was_predicted() -> None:
    assert {look.set for look in blind.load_looks()} == {"first", *SETS}


def test_a_set_is_predicted_once() -> None:
    with pytest.raises(ArgumentError, match="predicted before"):
        blind.keep("second", SETS["second"])
