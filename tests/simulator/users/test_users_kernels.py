"""Kernels as users write them give what numpy says, on every architecture."""

from __future__ import annotations

import numpy as np
import pytest
from users_cases import CASES
from users_running import DEVICES, replay

TEMPLATES = ("templated<float, 4>", "triples")


@pytest.mark.parametrize("architecture", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_kernel(name: str, architecture: int) -> None:
    case = CASES[name]
    file = "templates.cu" if name in TEMPLATES else "kernels.cu"
    run = replay(file, name, architecture, case)
    assert not run.findings
    wanted = case.expected(*case.args)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    for place, expected in zip(case.outputs, wanted, strict=True):
        found = run.outputs[place % len(case.args)]
        if case.rtol:
            np.testing.assert_allclose(found, expected, rtol=case.rtol)
        else:
            np.testing.assert_array_equal(found, expected)


def test_64_bit_columns_conflict() -> None:
    run = replay("kernels.cu", "wide_conflicts", 89, CASES["wide_conflicts"])
    loads = [i for i in run.instructions if i.sass.startswith("LDS")]
    assert sum(i.bank_conflicts for i in loads) == 32 * (32 - 2)
