"""Published times: do they belong to kernels of the catalogue, and name where they come from?"""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels import load_workload
from simulator.device import load_device
from validation.errors import RecordError
from validation.published import FILE, load_published


def test_times_are_of_the_catalogue_at_default_sizes() -> None:
    published = load_published("rtx4090")
    assert published is not None
    assert load_device(published.gpu).name == "rtx4090"
    assert "commit" in published.source
    assert len({row.kernel for row in published.times}) == len(published.times) == 7
    for row in published.times:
        assert dict(row.size) == dict(load_workload(row.kernel).sizes)
        assert all(100 < time < 1000 for time in row.warm_us)


def test_a_device_without_published_times() -> None:
    assert load_published("h200") is None


@pytest.mark.parametrize("text", ["", "{}", '{"schema": 9}', '{"schema": 1, "times": [{}]}'])
def test_damaged_files_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "gpu").mkdir()
    (tmp_path / "gpu" / FILE).write_text(text)
    with pytest.raises(RecordError, match="restore the file"):
        load_published("gpu", tmp_path)
