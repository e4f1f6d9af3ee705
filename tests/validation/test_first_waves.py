"""Are blocks placed on SMs as an NVIDIA H200 places them, and halves of lines paid as there?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator as sm
from kernels.workload import Launch
from simulator.device import load_device
from simulator.device.structure import SMS_PER_TPC
from simulator.launching import Target
from simulator.memory.caches.machine import layout_of
from simulator.memory.caches.placement import first_wave
from validation import microbench
from validation.time_accuracy import predict_target

FOLDER = Path(microbench.__file__).parent
THREADS_PER_SM, MOST_BLOCKS = 2048, 32


def _launches(name: str) -> list[dict[str, Any]]:
    content = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return list(content["launches"])


def _loads(sms: Any, size: int) -> list[int]:
    """How many blocks each SM, or each group of ``size``, has; SMs have other numbers on a GPU."""
    return sorted(np.bincount(np.asarray(sms) // size, minlength=132 // size).tolist())


@pytest.mark.parametrize("launch", _launches("h200_placement.json"), ids=lambda x: x["blocks"])
def test_sms_and_tpcs_get_as_many_blocks_as_on_the_gpu(launch: dict[str, Any]) -> None:
    room = min(MOST_BLOCKS, THREADS_PER_SM // launch["threads"])
    mine = first_wave(layout_of(load_device("h200")), room, launch["blocks"])
    for size in (1, SMS_PER_TPC):
        assert _loads(mine, size) == _loads(launch["sms"], size)


@pytest.mark.parametrize("launch", _launches("h200_halves.json"), ids=lambda x: str(x["block"]))
def test_halves_of_lines_that_neighbours_ask_for(launch: dict[str, Any]) -> None:
    kernel = sm.compile_cuda(FOLDER / "halves.cu", launch["entry"], "h200")
    data = np.zeros((5000, 6400), np.float32)
    arguments = (data, np.zeros_like(data), np.int32(6400), np.int32(5000))
    grid, block = (*launch["grid"], 1), (*launch["block"], 1)
    found = predict_target(Target(kernel, Launch(grid, block, 0), arguments), "h200", {})
    assert found.cold.microseconds == pytest.approx(launch["cold_us"], rel=0.08)
    assert found.warm.microseconds == pytest.approx(launch["warm_us"], rel=0.08)
