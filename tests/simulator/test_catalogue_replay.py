"""Do the catalogue's kernels compute what they should, on the architectures no record covers?"""

from __future__ import annotations

import numpy as np
import pytest

import simulator as sm
from kernels import Workload, workloads
from tests.simulator.replaying import DEVICES

OUT_OF_BOUNDS = "sgemm_reg_tiled_published"
# Code for sm_80 is written as for sm_89, but for a few forms of instructions: those and all others
# that the catalogue has there are in these kernels.
ON_SM_80 = (
    "hgemm_tensor", "histogram_shared", "layernorm", "local_sort", "naive_gemm",
    "reduction_shuffle", "register_tiling_cured", "scan_blelloch", "softmax", "stencil_2d",
    "vectorized_gemm",
)  # fmt: skip
# Its code is unrolled to 13,000 instructions: once is enough.
ONCE = (OUT_OF_BOUNDS,)
CASES = [
    (workload, architecture)
    for architecture in (80, 89, 120)
    for workload in workloads()
    if architecture == 89
    or (architecture == 80 and workload.name in ON_SM_80)
    or (architecture == 120 and workload.name not in ONCE)
]


@pytest.mark.parametrize(
    ("workload", "architecture"), CASES, ids=[f"{w.name}-{number}" for w, number in CASES]
)
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
