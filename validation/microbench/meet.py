"""The launches of ``meet.cu``, their jobs, and a run that notes when warps' loads go out.

python -m validation.microbench.meet jobs FOLDER   compile; counts: python -m validation.repeats
python -m validation.microbench.meet run FOLDER OUT.npz   on a GPU: clocks by block, warp and load
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from simulator.pages import run_script
from validation.gpu import import_cupy
from validation.microbench.two_steps import take_step

SOURCE, ENTRY = Path(__file__).with_name("meet.cu"), "meet_loop"
BLOCKS, PITCH, STEPS = 132, 1024, 24  # one block an SM; words of a row; turns of the loop
LAUNCHES = 2  # the second one finds its lines in L2


@dataclass(frozen=True)
class Meeting:
    """One launch: warps of a block, loads of a warp a step, one after the other or at once, and
    the words of a row that a step reads."""

    warps: int
    loads: int
    chained: bool
    width: int

    @property
    def name(self) -> str:
        """As in ``h200_meet.json``."""
        way = "chain" if self.chained else "batch"
        return f"w{self.warps}-l{self.loads}-{way}-{self.width}"

    @property
    def defines(self) -> tuple[str, ...]:
        """What the source is compiled with."""
        chained = ("-DCHAINED",) if self.chained else ()
        return (f"-DLOADS={self.loads}", f"-DWIDTH={self.width}", *chained)

    @property
    def room_bytes(self) -> int:
        """Shared memory for what a block loads in a step."""
        return self.loads * self.warps * 32 * 4

    @property
    def notes(self) -> int:
        """Clocks that a block notes."""
        return STEPS * self.warps * self.loads * 2


def meetings() -> Iterator[Meeting]:
    """All launches."""
    for warps in (4, 8, 16, 32):
        for loads in (1, 2, 4):
            for chained in (False, True) if loads > 1 else (False,):
                for width in (32, 16):
                    yield Meeting(warps, loads, chained, width)


def arguments(meeting: Meeting, notes: int = 1) -> tuple[Any, ...]:
    """Buffers and sizes, as the kernel takes them; no value steers an address."""
    threads = meeting.warps * 32
    rows = meeting.loads * threads // meeting.width
    data = np.zeros(rows * PITCH, np.float32)
    out, log = np.zeros(BLOCKS * threads, np.float32), np.zeros(notes, np.uint32)
    return data, out, log, np.int32(PITCH), np.int32(STEPS)


def write_jobs(folder: Path) -> None:
    """Compile every launch, with and without notes."""
    from kernels.workload import Launch, Problem
    from simulator.frontends.cuda import compile_cuda
    from validation.jobs import write_job
    from validation.prepare import make_job

    for meeting in meetings():
        kernel = compile_cuda(SOURCE, ENTRY, 90, meeting.defines)
        launch = Launch((BLOCKS, 1, 1), (meeting.warps * 32, 1, 1), meeting.room_bytes)
        problem = Problem(launch, arguments(meeting), {})
        job = make_job(meeting.name, kernel, problem, {}, 0)
        write_job(replace(job, name=meeting.name, stored=True), kernel.cubin, problem, folder)
        noted = compile_cuda(SOURCE, ENTRY, 90, (*meeting.defines, "-DLOG"))
        (folder / meeting.name / "noted.cubin").write_bytes(noted.cubin)


def run(folder: Path, out: Path) -> None:
    """Note the clocks of every launch with its lines in L2: uint32[block, 1 + notes], SM first."""
    cupy = import_cupy()
    found: dict[str, Any] = {}
    for meeting in meetings():
        kernel = cupy.RawModule(path=str(folder / meeting.name / "noted.cubin"))
        function = kernel.get_function(ENTRY)
        room = meeting.room_bytes + 4 * meeting.notes
        function.max_dynamic_shared_size_bytes = room
        made = arguments(meeting, BLOCKS * (meeting.notes + 1))
        given = [cupy.asarray(x) if isinstance(x, np.ndarray) else x for x in made]
        for _ in range(LAUNCHES):
            function((BLOCKS, 1, 1), (meeting.warps * 32, 1, 1), given, shared_mem=room)
        found[meeting.name] = given[2].get().reshape(BLOCKS, -1)
    np.savez_compressed(out, **found)


def main() -> None:
    """Do what the command line says."""
    take_step(__doc__, write_jobs, run)


if __name__ == "__main__":
    run_script(main)
