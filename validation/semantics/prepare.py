"""Writes the probes as measuring jobs: ``python -m validation.semantics.prepare JOBS``."""

from __future__ import annotations

import argparse
from pathlib import Path

from simulator.pages import run_script

from ..jobs import Job, arguments_digest, write_job
from .probes import ARCHITECTURE, Probe, probes


def write_probe(probe: Probe, root: Path) -> Path:
    """Compile a probe and write its job below ``root``; returns its folder."""
    kernel, problem = probe.kernel(), probe.problem()
    job = Job(
        name=probe.name,
        kernel=probe.name,
        entry=kernel.name,
        architecture=ARCHITECTURE,
        program_hash=kernel.program_hash,
        compiler=kernel.compiler,
        grid=list(problem.launch.grid),
        block=list(problem.launch.block),
        shared_bytes=0,
        digest=arguments_digest(problem.arguments),
        counters=False,
        stored=True,
    )
    return write_job(job, kernel.cubin, problem, root)


def main() -> None:
    """Write every probe."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", type=Path)
    root = parser.parse_args().jobs
    for probe in probes():
        print(write_probe(probe, root))


if __name__ == "__main__":
    run_script(main)
