"""Do the kernels of the holdout compute what they are meant to, on every architecture?"""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import numpy as np
import pytest
from holdout_references import REFERENCES, TOLERANCES, expected

import simulator as sm
from validation import holdout_launches as holdout
from validation.own import own_problem
from validation.records import load_record
from validation.time_accuracy import UNSEEN
from validation.unseen_launches import Unseen

SMALL = (
    holdout.attention(128, 2),
    holdout.transforms(2),
    holdout.sort(2),
    holdout.bodies(200, 96),
    holdout.stencil(64, 16, 5),
    holdout.ell(300),
    holdout.coo(1000),
    holdout.image_filter(136, 20),
    holdout.histogram(3000, 2),
    holdout.matvec(7, 70),
    holdout.small_products(19),
    holdout.bytes_product(64, 128, 64),
    holdout.product("wmma_bf16", 64, 128, 64, (64, 64), 128),
    holdout.product("wmma_tf32", 64, 64, 40, (64, 32), 128),
    holdout.product("dgemm", 40, 50, 30, (32, 32), 256, "f64"),
    holdout.gelu(300, 7),
    holdout.embedding(20, 13, 256),
    holdout.transpose(128, 192),
    holdout.argmax(5000),
    holdout.scan(2),
    holdout.chance(3, 64, 5),
    holdout.mandelbrot(64, 24, (32, 8), 30),
    holdout.bilateral(40, 21),
    holdout.alignments(2),
    holdout.graph(600),
    holdout.layernorm(3, 500, 256),
    holdout.product("gemm_async", 64, 128, 48, (64, 64), 256),
    holdout.points(5000),
)
DEVICES = ("a100_80", "h200", "rtx5090")


def test_every_kernel_has_a_reference() -> None:
    names = {item.source for item in holdout.HOLDOUT}
    assert {item.source for item in SMALL} == names == set(REFERENCES)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("item", SMALL, ids=lambda item: item.source)
def test_a_kernel_computes_its_reference(item: Unseen, device: str) -> None:
    problem = own_problem(item.own)
    kernel = sm.compile_cuda(item.own.file, None, device)
    arguments = [np.copy(argument) for argument in problem.arguments]
    run = sm.replay(
        kernel, problem.launch.grid, problem.launch.block, list(problem.arguments),
        problem.launch.shared_bytes, device, blocks="all",
    )  # fmt: skip
    assert run.findings == ()
    for position, wanted in expected(item.source, arguments).items():
        found = run.outputs[position].reshape(np.shape(wanted))
        if item.source == "mandelbrot":  # some steps hang on the rounding of float32
            assert (found == wanted).mean() > 0.98
        elif np.issubdtype(found.dtype, np.integer):
            np.testing.assert_array_equal(found, wanted)
        else:
            limit = TOLERANCES.get(item.source, 2e-4)
            np.testing.assert_allclose(found, wanted, rtol=limit, atol=limit)


def test_readme_gives_the_errors_of_the_blind_look() -> None:
    root = Path(__file__).parents[2]
    predicted = json.loads((root / "validation/blind_predictions.json").read_text())["launches"]
    assert set(predicted) == {item.name for item in holdout.HOLDOUT}
    errors: dict[str, list[float]] = {"cold": [], "warm": []}
    for name, times in predicted.items():
        record = load_record(UNSEEN / f"{name}.json.xz")
        cold = record.metrics["cold"]["gpu__time_duration.sum"] / 1000
        errors["cold"].append(abs(times["cold_us"] / cold - 1) * 100)
        warm = statistics.median(record.times["warm_us"])
        errors["warm"].append(abs(times["warm_us"] / warm - 1) * 100)
    means, medians = (
        [f"{f(errors[state]):.1f} %" for state in ("cold", "warm")]
        for f in (statistics.fmean, statistics.median)
    )
    claim = (
        f"that blind look was off by {means[0]} cold and {means[1]} warm on average, "
        f"by {medians[0]} and {medians[1]} in the median"
    )
    assert claim in " ".join((root / "README.md").read_text(encoding="utf-8").split())
