"""Do the catalogue's kernels compute what they should, on the architectures no record covers?"""

from __future__ import annotations

import numpy as np
import pytest

import simulator as sm
from kernels import Workload, workloads
from tests.simulator.replaying import DEVICES

OUT_OF_BOUNDS = "sgemm_reg_tiled_published"


@pytest.mark.parametrize("architecture", [80, 89, 120])
@pytest.mark.parametrize("workload", workloads(), ids=lambda workload: workload.name)
def test_ragged_size_equals_the_reference(workload: Workload, architecture: int) -> None:
    device = DEVICES[architecture]
    kernel = sm.compile_cuda(workload.source, workload.entry, device, workload.options)
    problem = workload.problem(workload.test_sizes[-1], 0)
    launch = problem.launch
    run = sm.replay(
        kernel, launch.grid, launch.block, list(problem.arguments), launch.shared_bytes,
        device=device, blocks="all",
    )  # fmt: skip
    assert problem.expected or workload.name == OUT_OF_BOUNDS
    for position, expected in problem.expected.items():
        found = run.outputs[position].reshape(expected.shape)
        np.testing.assert_allclose(found, expected, problem.rtol, problem.atol)
    assert bool(run.findings) == (workload.name == OUT_OF_BOUNDS)
