"""The command line of probes whose jobs are written on one machine and run on a GPU's."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path


def take_step(
    about: str | None,
    write_jobs: Callable[[Path], object],
    run: Callable[[Path, Path], object],
) -> None:
    """Do what the command line says: ``jobs FOLDER`` or ``run FOLDER OUT``."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words = parser.add_subparsers(dest="what", required=True)
    for name in ("jobs", "run"):
        words.add_parser(name).add_argument("folder", type=Path)
    words.choices["run"].add_argument("out", type=Path)
    options = parser.parse_args()
    if options.what == "jobs":
        write_jobs(options.folder)
    else:
        run(options.folder, options.out)
