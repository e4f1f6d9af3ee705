"""Are the accuracy tables in the documents those of the committed records?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from simulator.errors import InputError
from validation.__main__ import app
from validation.accuracy import (
    fill,
    fill_document,
    inputs_digest,
    load_accuracy,
    measure_accuracy,
    render_accuracy,
    render_deviations,
    save_accuracy,
)
from validation.comparison import Comparison
from validation.records import load_record, record_paths

ROOT = Path(__file__).parents[2]


def test_accuracy_is_of_these_records_and_tables() -> None:
    assert load_accuracy().digest == inputs_digest(), (
        "records, metrics or deviations changed: "
        "python -m validation accuracy --refresh --write README.md --write ARCHITECTURE.md"
    )
    counted = [r for r in map(load_record, record_paths("h200")) if r.instructions]
    assert load_accuracy().launches == len(counted)
    assert load_accuracy().kernels == len({r.kernel for r in counted})


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md"])
def test_document_is_up_to_date(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert fill_document(text, load_accuracy()) == text, (
        f"python -m validation accuracy --write {name}"
    )


def test_tables_are_where_they_belong() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    architecture = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert render_accuracy(load_accuracy()) in readme
    assert render_deviations() in architecture


def test_nothing_wrong_is_published() -> None:
    assert all(item.wrong == 0 for item in load_accuracy().counters)
    with pytest.raises(InputError, match="tiled_gemm-x"):
        measure_accuracy(Comparison(refused={"tiled_gemm-x": "other code"}), "a GPU")


def test_summary_comes_back(tmp_path: Path) -> None:
    changed = replace(load_accuracy(), launches=1)
    save_accuracy(changed, tmp_path / "a.json")
    assert load_accuracy(tmp_path / "a.json") == changed


def test_only_the_text_between_the_markers_changes() -> None:
    text = "a\n<!-- t:begin -->\nold\n<!-- t:end -->\nb\n"
    filled = fill(text, "t", "new")
    assert filled == "a\n<!-- t:begin -->\n\nnew\n\n<!-- t:end -->\nb\n"
    assert fill(filled, "t", "new") == filled
    assert fill(text, "u", "new") is None


def test_command_prints_and_refuses(tmp_path: Path) -> None:
    printed = CliRunner().invoke(app, ["accuracy"])
    assert printed.exit_code == 0
    assert "Counts by instruction" in printed.output
    path = tmp_path / "x.md"
    path.write_text("no markers\n")
    refused = CliRunner().invoke(app, ["accuracy", "--write", str(path)])
    assert refused.exit_code == 2
    assert "accuracy:begin" in refused.stderr
