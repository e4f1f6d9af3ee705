"""Runs the probes of a folder on the GPU: ``python -m validation.semantics.measure JOBS OUT``.

OUT becomes one .npz: an array a probe, and the GPU's description and the program hashes as JSON.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from kernels import Problem
from simulator.pages import run_script

from ..errors import MeasureError
from ..gpu import LoadedKernel, describe_gpu, import_cupy
from ..jobs import CUBIN_FILE, job_folders, read_job, read_problem


def _stored(kernel: str, size: Any, seed: int) -> Problem:
    raise MeasureError(f"{kernel} holds no arrays; prepare it again")


def measure(root: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Outputs of every job below ``root``, and what ran where."""
    cupy = import_cupy()
    outputs, programs = {}, {}
    for folder in job_folders(root):
        job, problem = read_job(folder), read_problem(folder, _stored)
        loaded = LoadedKernel(cupy, folder / CUBIN_FILE, job.entry, problem)
        loaded.launch()
        cupy.cuda.runtime.deviceSynchronize()
        buffers = loaded.buffers()
        outputs[job.name] = buffers[max(buffers)]
        programs[job.name] = {"program_hash": job.program_hash, "digest": job.digest}
        print(job.name, flush=True)
    compilers = {read_job(f).compiler for f in job_folders(root)}
    return outputs, {**describe_gpu(cupy), "compiler": sorted(compilers), "programs": programs}


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    outputs, facts = measure(options.jobs)
    np.savez_compressed(options.out, facts=np.array(json.dumps(facts)), **outputs)


if __name__ == "__main__":
    run_script(main)
