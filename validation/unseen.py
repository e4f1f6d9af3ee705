"""Kernels that no rule, number or test case of the time model was made with.

They are measured like the catalogue and their errors are published beside its own, to show how far
the model carries. No number is fitted to them. A first look (mean errors 17.1 % cold, 10.9 % warm)
showed what was not modelled at all and then was: that DEPBAR leaves the last groups of copies
open, that all SMs together touch no more than the buffers hold, and that reads of one line that
come together are served together. So these launches are unseen in their numbers only.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

from kernels.workload import Launch
from simulator.arguments import parse_arguments, parse_dim3
from simulator.launching import Target, open_source
from validation.jobs import write_job
from validation.own import OwnLaunch, own_problem
from validation.prepare import make_job

SOURCES = Path(__file__).parent / "unseen_kernels"
SEED = 0


@dataclass(frozen=True, slots=True)
class Unseen:
    """One launch of a kernel in ``SOURCES``; texts as on the command line."""

    source: str
    size: str
    grid: str
    block: str
    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of its record."""
        return f"{self.source}-{self.size}"

    @property
    def own(self) -> OwnLaunch:
        """As a user would name it."""
        path = SOURCES / f"{self.source}.cu"
        return OwnLaunch(path, None, None, self.grid, self.block, 0, self.arguments, (), SEED)


def _gemm(source: str, m: int, n: int, k: int, tile: tuple[int, int], threads: int) -> Unseen:
    arguments = (f"f32[{m},{k}]=random", f"f32[{k},{n}]=random", f"f32[{m},{n}]=zeros")
    if source.startswith("hgemm"):
        arguments = (f"f16[{m},{k}]=random", f"f16[{k},{n}]=random", f"f32[{m},{n}]=zeros")
    grid = f"{n // tile[1]},{m // tile[0]}"
    sizes = (f"i32={m}", f"i32={n}", f"i32={k}")
    return Unseen(source, f"m{m}-n{n}-k{k}", grid, str(threads), (*arguments, *sizes))


LAUNCHES = (
    _gemm("gemm_64x64", 512, 768, 512, (64, 64), 256),
    _gemm("gemm_64x64", 1024, 1024, 1024, (64, 64), 256),
    _gemm("gemm_128x64", 1024, 1024, 512, (128, 64), 128),
    _gemm("gemm_128x64", 256, 256, 256, (128, 64), 128),
    _gemm("hgemm_pipelined", 1024, 512, 512, (128, 64), 256),
    _gemm("hgemm_pipelined", 256, 128, 256, (128, 64), 256),
    Unseen("gemm_batched", "2000", "2000", "16,16",
           ("f32[2048000]=ones", "f32[2048000]=ones", "f32[2048000]=zeros")),
    Unseen("conv_3x3", "512", "16,64,8", "32,8",
           ("f32[8,512,512]=ones", "f32[4,9]=random", "f32[8,4,512,512]=zeros",
            "i32=512", "i32=512")),
    Unseen("stencil_3d", "256x256x64", "8,32", "32,8",
           ("f32[64,256,256]=ones", "f32[64,256,256]=zeros", "i32=256", "i32=256", "i32=64")),
    Unseen("top_k", "500", "500", "256",
           ("f32[500,2048]=random", "f32[500,8]=zeros", "i32[500,8]=zeros")),
    Unseen("prefix_sum", "2000000", "490", "1024",
           ("i32[2007040]=1", "i32[2007040]=zeros", "i32[490]=zeros")),
    Unseen("gather", "1048576", "4096", "256",
           ("f32[4194304]=ones", "f32[1048576]=zeros", "u32=4194303")),
    Unseen("matvec", "2048x2048", "256", "256",
           ("f32[2048,2048]=ones", "f32[2048]=random", "f32[2048]=zeros", "i32=2048")),
    Unseen("bins", "500000", "1954", "256",
           ("f32[500224]=ones", "f32[16384]=zeros", "i32=500000", "u32=16383")),
)  # fmt: skip


def open_unseen(item: Unseen, device: str) -> Target:
    """The kernel compiled for a device, with its launch and arguments."""
    launch = Launch(parse_dim3(item.grid, "--grid"), parse_dim3(item.block, "--block"), 0)
    arguments = parse_arguments(item.arguments, SEED)
    return open_source(item.own.file, None, device, (), launch, arguments)


def prepare_unseen(folder: Path, device: str) -> list[Path]:
    """Write one measuring job a launch below ``folder``."""
    written = []
    for item in LAUNCHES:
        target, problem = open_unseen(item, device), own_problem(item.own)
        job = replace(make_job(item.name, target.kernel, problem, {}, SEED), stored=True)
        written.append(write_job(job, target.kernel.cubin, problem, folder))
    return written


def main() -> None:
    """``python -m validation.unseen FOLDER``: prepare the jobs that measure them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="h200")
    options = parser.parse_args()
    for path in prepare_unseen(options.folder, options.device):
        print(path)


if __name__ == "__main__":
    main()
