"""Kernels, and sizes of the catalogue's, that no number or rule of the time model was made with.

They are measured like the catalogue and their errors are published beside its own, to show how far
the model carries. No number is fitted to them. A first look (mean errors 17.1 % cold, 10.9 % warm)
showed what was not modelled at all and then was: that DEPBAR leaves the last groups of copies
open, that all SMs together touch no more than the buffers hold, and that reads of one line that
come together are served together. So these launches are unseen in their numbers only. The sizes
of the catalogue's kernels (``SIZES``) go from fractions of a wave to many times L2.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from kernels.workload import Problem
from simulator.errors import UnknownNameError
from simulator.isa.kernel import Kernel
from simulator.launching import Target, open_catalogue, open_source
from simulator.pages import run_script
from validation.holdout_launches import HOLDOUT
from validation.jobs import job_name, write_job
from validation.later_launches import SETS
from validation.own import own_problem
from validation.prepare import make_job, prepare_sizes, select_workloads
from validation.unseen_launches import LAUNCHES, SEED, SIZES, Unseen

OWN: Mapping[str, Unseen] = {
    item.name: item for items in (LAUNCHES, HOLDOUT, *SETS.values()) for item in items
}


def unseen_names() -> list[str]:
    """The names of all launches, as their records are named."""
    return [*OWN, *(job_name(name, size) for name, size in SIZES)]


def open_unseen(name: str, device: str) -> Target:
    """The kernel of a launch compiled for a device, with the launch and its arguments."""
    if name in OWN:
        return _open_own(OWN[name], device)
    kernel, size = next(item for item in SIZES if job_name(*item) == name)
    return open_catalogue(kernel, size, SEED, device)


def _open_own(item: Unseen, device: str) -> Target:
    problem = own_problem(item.own)
    return open_source(item.own.file, None, device, (), problem.launch, problem.arguments)


def find_unseen(name: str, device: str) -> tuple[Kernel, Problem] | None:
    """Code and arguments of a kernel in ``SOURCES`` by its record's name; None for others."""
    if name not in OWN:
        return None
    target = _open_own(OWN[name], device)
    return target.kernel, Problem(target.launch, target.arguments, expected={})


def unseen_problem(name: str) -> Problem | None:
    """Dimensions and arguments of a kernel in ``SOURCES``, made again; None for others."""
    return own_problem(OWN[name].own) if name in OWN else None


def prepare_unseen(folder: Path, device: str, only: str = "") -> list[Path]:
    """Write one measuring job below ``folder`` for each launch whose name holds a text.

    Raises:
        UnknownNameError: no launch's name does.
        SimulatorError: the device is unknown, or a kernel does not compile for it.
    """
    if not any(only in name for name in unseen_names()):
        raise UnknownNameError("launch", only, unseen_names())
    written = []
    for name in (name for name in OWN if only in name):
        target = _open_own(OWN[name], device)
        problem = Problem(target.launch, target.arguments, expected={})
        job = make_job(name, target.kernel, problem, {}, SEED)
        written.append(write_job(job, target.kernel.cubin, problem, folder))
    for name, size in (item for item in SIZES if only in job_name(*item)):
        (workload,) = select_workloads([name])
        written += prepare_sizes(workload, [size], device, folder)
    return written


def main() -> None:
    """``python -m validation.unseen FOLDER``: prepare the jobs that measure them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="h200")
    parser.add_argument("--only", default="", help="part of a launch's name")
    options = parser.parse_args()
    for path in prepare_unseen(options.folder, options.device, options.only):
        print(path)


if __name__ == "__main__":
    run_script(main)
