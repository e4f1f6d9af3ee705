"""Small hand-made comparisons, times and answers for tests of what draws them."""

from __future__ import annotations

from typing import Any

from reports.claims.claim import Answer, Table, Verdict
from simulator.results import Timing


def row(counter: str, predicted: float | None, measured: float, **changes: Any) -> dict[str, Any]:
    """One row of a launch as a comparison's JSON has it."""
    fields: dict[str, Any] = {
        "counter": counter,
        "metric": counter,
        "where": "cold",
        "unit": "",
        "status": "exact",
        "predicted": predicted,
        "measured": measured,
        "verdict": "equal" if predicted == measured else "wrong",
        "low": None,
        "high": None,
        "difference": None if predicted is None else measured - predicted,
    }
    return {**fields, **changes}


def launch(kernel: str, edge: int, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One launch of a matrix product."""
    size = {"m": edge, "n": edge, "k": edge}
    counts = {"instructions_equal": 80, "instructions_compared": 80}
    return {"kernel": kernel, "size": size, "device": "h200", "rows": rows, **counts}


def make_comparison() -> dict[str, Any]:
    """Two launches of tiled_gemm, one published time and one reference."""
    bounds = {"status": "bounded", "verdict": "within", "low": -10.0, "high": 50.0}
    summary = {
        "counter": "executed", "page": False, "status": "exact", "compared": 2, "equal": 2,
        "known": 0, "wrong": 0, "least": 0.0, "most": float("inf"),
    }  # fmt: skip
    time = {"where": "time", "verdict": "not predicted"}
    size = {"m": 1000, "n": 1000, "k": 1000}
    return {
        "format": "smreplay comparison",
        "schema": 1,
        "launches": [
            launch("tiled_gemm", 64, [row("executed", 10, 10), row("warm_us", None, 1.0, **time)]),
            launch(
                "tiled_gemm",
                1000,
                [
                    row("executed", 1000, 1000),
                    row("bank_conflicts", 100, 140, **bounds),
                    row("outputs", 0, 0, where="output"),
                    row("warm_us", None, 500.0, **time),
                    row("nothing", 0, 0),
                ],
            ),
        ],
        "summary": [summary],
        "unpredicted": ["warm_us"],
        "refused": {"k-1": "<b>other code</b>"},
        "published": {
            "rtx4090": {
                "gpu": "NVIDIA GeForce RTX 4090",
                "times": [{"kernel": "tiled_gemm", "size": size, "warm_us": [200.0, 250.0]}],
                "references": [{"kernel": "cuBLAS", "size": size, "warm_us": [100.0]}],
            }
        },
    }


def timing(microseconds: float) -> Timing:
    """A time that may be a fifth shorter or a quarter longer."""
    return Timing(microseconds, 0.8 * microseconds, 1.25 * microseconds, 1, 1, 0.5, 0.5, {}, {})


VARIANTS = Table(
    "Three variants",
    ("variant", "wavefronts", "ideal", "conflicts"),
    (("a", 8, 4, 4), ("b", 4, 4, 0)),
)


def make_answers() -> list[Answer]:
    """One answer of each verdict, the first with a table and a chart, the second with a table."""
    return [
        Answer(
            n, f"claim <{n}>", "1", "2", verdict, "because", ("smreplay kernels",), table, n == 1
        )
        for n, (verdict, table) in enumerate(
            zip(Verdict, (VARIANTS, VARIANTS, None, None), strict=True), 1
        )
    ]
