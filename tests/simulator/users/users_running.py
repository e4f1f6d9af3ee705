"""Compiles and replays the kernels of this folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from users_cases import Case

import simulator as sm
from simulator.isa.kernel import Kernel
from simulator.results import Run

HERE = Path(__file__).parent
# The default device, the one that counts are proved on, and the newest; code for sm_80 and sm_86
# is written as for sm_89.
DEVICES = {89: "rtx4090", 90: "h200", 120: "rtx5090"}


@cache
def compiled(file: str, name: str, architecture: int) -> Kernel:
    return sm.compile_cuda(HERE / file, name, architecture)


def replay(file: str, name: str, architecture: int, case: Case) -> Run:
    grid, block = (np.atleast_1d(n).tolist() for n in (case.grid, case.block))
    kernel = compiled(file, name, architecture)
    device = DEVICES[architecture]
    return sm.replay(kernel, grid, block, list(case.args), case.shared_bytes, device, "all")
