"""The launches of ``tiles.cu``, their jobs, and a run that notes when blocks take their steps.

python -m validation.microbench.tiles jobs FOLDER   compile; counters: validation measure --jobs
python -m validation.microbench.tiles run FOLDER OUT.npz   on a GPU: clocks by block and step
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

SOURCE = Path(__file__).with_name("tiles.cu")
SEED = 0


@dataclass(frozen=True)
class Tile:
    """One launch: kernel, its defines, size and shape."""

    name: str
    entry: str
    n: int
    grid: tuple[int, int]
    block: tuple[int, int]
    steps: int
    defines: tuple[str, ...] = ()


def _tile(edge: int, work: int, n: int) -> Tile:
    defines = (f"-DTILE={edge}", f"-DWORK={work}")
    grid = (n // edge, n // edge)
    return Tile(f"tile{edge}-c{work}-n{n}", "tile_loop", n, grid, (edge, edge), n // edge, defines)


def _patch(n: int, rows: int) -> Tile:
    defines = ("-DWIDE",) if rows == 96 else ()
    grid = (n // 64, n // rows)
    return Tile(f"patch{rows}-n{n}", "patch_loop", n, grid, (rows * 4, 1), n // 16, defines)


def _dot(n: int, x: int, y: int) -> Tile:
    return Tile(f"dot{x}x{y}-n{n}", "dot_loop", n, (n // x, n // y), (x, y), n // 16)


def _table(threads: int, blocks: int, n: int, work: int) -> Tile:
    name = f"table{threads}-b{blocks}-c{work}"
    return Tile(name, "table_loop", n, (blocks, 1), (threads, 1), n // 4, (f"-DWORK={work}",))


LAUNCHES = (
    *(_tile(32, work, n) for work in (8, 32, 128) for n in (96, 768, 1536)),
    *(_tile(16, work, n) for work in (16, 64) for n in (96, 768)),
    *(_patch(n, rows) for n in (192, 768, 1536) for rows in (64, 96)),
    *(_dot(n, x, y) for n in (96, 576, 768) for x, y in ((16, 16), (32, 8), (64, 4))),
    *(_table(threads, blocks, 512, work) for threads in (128, 512) for blocks in (66, 132, 528)
      for work in (8, 200)),
)  # fmt: skip


def arguments(tile: Tile) -> tuple[Any, ...]:
    """Buffers and size, as the kernel takes them; no value steers an address."""
    words = tile.n * max(tile.n, tile.block[0])
    a, b = np.zeros(words, np.float32), np.zeros(words, np.float32)
    threads = tile.grid[0] * tile.grid[1] * tile.block[0] * tile.block[1]
    out = np.zeros(max(tile.n * tile.n, threads), np.float32)
    return a, b, out, np.int32(tile.n)


def write_jobs(folder: Path) -> None:
    """Compile every launch, with and without notes."""
    from kernels.workload import Launch, Problem
    from simulator.frontends.cuda import compile_cuda
    from validation.jobs import write_job
    from validation.prepare import make_job

    for tile in LAUNCHES:
        kernel = compile_cuda(SOURCE, tile.entry, 90, tile.defines)
        problem = Problem(Launch((*tile.grid, 1), (*tile.block, 1), 0), arguments(tile), {})
        job = replace(
            make_job(tile.name, kernel, problem, {"n": tile.n}, SEED), name=tile.name, stored=True
        )
        write_job(job, kernel.cubin, problem, folder)
        noted = compile_cuda(SOURCE, tile.entry, 90, (*tile.defines, "-DLOG"))
        (folder / tile.name / "noted.cubin").write_bytes(noted.cubin)


_CLOCKS = r"""
extern "C" __global__ void ticks(long long* out) {
  unsigned sm; asm volatile("mov.u32 %0,%%smid;":"=r"(sm));
  unsigned long long was, now; asm volatile("mov.u64 %0,%%globaltimer;":"=l"(was));
  for (int n = 0; n < 8; n++) {
    do { asm volatile("mov.u64 %0,%%globaltimer;":"=l"(now)); } while (now == was);
    out[(sm * 8 + n) * 2] = now; out[(sm * 8 + n) * 2 + 1] = clock64(); was = now;
  }
}
extern "C" __global__ void flush(float4* data, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  for (; i < n; i += (long long)gridDim.x * blockDim.x) data[i].x += 1.0f;
}
"""


def run(folder: Path, out: Path) -> None:
    """Note the clocks of every launch, cold and warm."""
    import cupy

    module = cupy.RawModule(code=_CLOCKS)
    ticks, flush = module.get_function("ticks"), module.get_function("flush")
    room = cupy.zeros(64 << 20, cupy.float32)
    sms = cupy.cuda.Device().attributes["MultiProcessorCount"]
    found: dict[str, Any] = {"l2_bytes": cupy.cuda.Device().attributes["L2CacheSize"]}
    for tile in LAUNCHES:
        kernel = cupy.RawModule(path=str(folder / tile.name / "noted.cubin"))
        function = kernel.get_function(tile.entry)
        given = [cupy.asarray(x) if isinstance(x, np.ndarray) else x for x in arguments(tile)]
        stride = tile.steps + 2
        log = cupy.zeros(tile.grid[0] * tile.grid[1] * stride, cupy.uint32)
        for heat in ("first", "cold", "warm"):
            if heat == "cold":
                flush((1024,), (256,), (room, np.int64(len(room) // 4)))
            clock = cupy.zeros(sms * 16, cupy.int64)
            ticks((sms,), (1024,), (clock,), shared_mem=40000)
            function((*tile.grid, 1), (*tile.block, 1), (*given, log, np.int32(stride)))
            if heat != "first":
                found[f"{tile.name}.{heat}.log"] = log.get().reshape(-1, stride)
                found[f"{tile.name}.{heat}.clock"] = clock.get().reshape(sms, 8, 2)
    np.savez_compressed(out, **found)


def main() -> None:
    """Do what the command line says."""
    if sys.argv[1] == "jobs":
        write_jobs(Path(sys.argv[2]))
    else:
        run(Path(sys.argv[2]), Path(sys.argv[3]))


if __name__ == "__main__":
    main()
