"""The model on its own probes: ``python -m validation.microbench.compare CUBINS [--only TEXT]``.

Runs the clock probes of one SM through the model and sets its cycles a trip beside the measured.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from simulator.emulator.launch import Launch
from simulator.emulator.program import Program, build_program
from simulator.errors import InputError, SimulatorError, UnknownNameError
from simulator.frontends.cubin import load_cubin
from simulator.pages import run_script
from simulator.timing.parameters import Parameters, load_parameters
from simulator.timing.trials import WARM, cycles, simulate
from simulator.timing.workload import prepare
from validation.microbench.build import SOURCES
from validation.microbench.probe import CLOCK, Probe
from validation.microbench.probes import list_probes

FIGURES = Path(__file__).with_name("h200_probes.json")
_WORDS = 1 << 23


def find_program(folder: Path, kernel: str) -> Program:
    """The kernel from whichever cubin of the folder holds it."""
    for name in SOURCES:
        try:
            return build_program(load_cubin(folder / f"{name}.cubin", kernel))
        except SimulatorError:
            continue
    raise InputError(f"no cubin in {folder} holds {kernel}; build the probes there first")


def predict_trip(parameters: Parameters, program: Program, probe: Probe) -> float:
    """Cycles that one more trip takes in the model."""
    buffer, out = np.zeros(_WORDS, np.float32), np.zeros(1 << 18, np.int64)
    found = []
    for trips in probe.trips:
        arguments = [buffer, out, np.int32(trips), np.int32(probe.parameter)]
        launch = Launch(
            program, (probe.grid, 1, 1), (probe.threads, 1, 1), probe.shared_bytes, arguments
        )
        found.append(cycles(simulate(parameters, prepare(parameters, launch), WARM)))
    return (found[1] - found[0]) / (probe.trips[1] - probe.trips[0])


def main() -> None:
    """Print one line a probe."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cubins", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    figures = json.loads(FIGURES.read_text(encoding="utf-8"))["figures"]
    parameters = load_parameters("h200")
    probes = [probe for probe in list_probes(parameters.device.sm_count) if probe.way == CLOCK]
    chosen = [probe for probe in probes if options.only in probe.name]
    if not chosen:
        raise UnknownNameError("probe", options.only, (probe.name for probe in probes))
    for probe in chosen:
        measured = float(figures[probe.name])
        model = predict_trip(parameters, find_program(options.cubins, probe.kernel), probe)
        print(f"{probe.name:34s} measured {measured:9.1f} model {model:9.1f}", flush=True)


if __name__ == "__main__":
    run_script(main)
