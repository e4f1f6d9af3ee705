"""The launches of ``tiles.cu``, their jobs, and a run that notes when blocks take their steps.

python -m validation.microbench.tiles jobs FOLDER   compile; counters: validation measure --jobs
python -m validation.microbench.tiles run FOLDER OUT.npz   on a GPU: clocks by block and step
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from simulator.pages import run_script
from validation.gpu import import_cupy
from validation.microbench.two_steps import take_step

SOURCE = Path(__file__).with_name("tiles.cu")
SEED = 0
HEATS = ("first", "cold", "warm")


@dataclass(frozen=True)
class Tile:
    """One launch: kernel, its defines, sizes (n, or m, n and k) and shape."""

    name: str
    entry: str
    sizes: tuple[int, ...]
    grid: tuple[int, int]
    block: tuple[int, int]
    steps: int
    defines: tuple[str, ...] = ()


def _tile(edge: int, work: int, n: int) -> Tile:
    defines = (f"-DTILE={edge}", f"-DWORK={work}")
    grid = (n // edge, n // edge)
    name = f"tile{edge}-c{work}-n{n}"
    return Tile(name, "tile_loop", (n,), grid, (edge, edge), n // edge, defines)


def _patch(n: int, rows: int) -> Tile:
    defines = ("-DWIDE",) if rows == 96 else ()
    grid = (n // 64, n // rows)
    return Tile(f"patch{rows}-n{n}", "patch_loop", (n,), grid, (rows * 4, 1), n // 16, defines)


def _dot(n: int, x: int, y: int) -> Tile:
    return Tile(f"dot{x}x{y}-n{n}", "dot_loop", (n,), (n // x, n // y), (x, y), n // 16)


def _table(threads: int, blocks: int, n: int, work: int) -> Tile:
    name = f"table{threads}-b{blocks}-c{work}"
    return Tile(name, "table_loop", (n,), (blocks, 1), (threads, 1), n // 4, (f"-DWORK={work}",))


def _edge(edge: int, work: int, m: int, n: int, k: int) -> Tile:
    name, defines = f"edge{edge}-m{m}-n{n}-k{k}", (f"-DTILE={edge}", f"-DWORK={work}")
    grid = (-(-n // edge), -(-m // edge))
    return Tile(name, "edge_loop", (m, n, k), grid, (edge, edge), -(-k // edge), defines)


def _edge_patch(m: int, n: int, k: int) -> Tile:
    grid = (-(-n // 64), -(-m // 64))
    name = f"edgepatch-m{m}-n{n}-k{k}"
    return Tile(name, "edge_patch", (m, n, k), grid, (256, 1), -(-k // 16))


def _square(m: int, n: int, k: int, *defines: str) -> Tile:
    kind = "".join(f"-{d.removeprefix('-D').lower()}" for d in defines)
    name, grid = f"square{kind}-m{m}-n{n}-k{k}", (n // 128, m // 128)
    return Tile(name, "square_loop", (m, n, k), grid, (256, 1), k // 8, defines)


LAUNCHES = (
    *(_tile(32, work, n) for work in (8, 32, 128) for n in (96, 768, 1536)),
    *(_tile(16, work, n) for work in (16, 64) for n in (96, 768)),
    *(_patch(n, rows) for n in (192, 768, 1536) for rows in (64, 96)),
    *(_dot(n, x, y) for n in (96, 576, 768) for x, y in ((16, 16), (32, 8), (64, 4))),
    *(_table(threads, blocks, 512, work) for threads in (128, 512) for blocks in (66, 132, 528)
      for work in (8, 200)),
    *(_edge(edge, edge, m, n, k) for edge in (16, 32)
      for m, n, k in ((100, 150, 75), (64, 200, 130), (333, 222, 111), (600, 500, 333))),
    *(_edge_patch(m, n, k)
      for m, n, k in ((100, 150, 75), (64, 250, 130), (200, 180, 60), (600, 500, 333))),
    *(_square(m, n, k, *defines)
      for m, n, k in ((384, 256, 512), (1408, 1408, 704), (1920, 1920, 960), (2816, 1536, 768))
      for defines in ((), ("-DSPREAD",), ("-DSPREAD", "-DAHEAD"))),
)  # fmt: skip


def arguments(tile: Tile) -> tuple[Any, ...]:
    """Buffers and sizes, as the kernel takes them; no value steers an address."""
    m, n, k = tile.sizes if len(tile.sizes) == 3 else tile.sizes * 3
    wide = max(k, tile.block[0])  # the table of a row of threads a step
    a, b = np.zeros(max(m, n) * wide, np.float32), np.zeros(k * max(n, tile.block[0]), np.float32)
    threads = tile.grid[0] * tile.grid[1] * tile.block[0] * tile.block[1]
    out = np.zeros(max(m * n, threads), np.float32)
    return a, b, out, *(np.int32(size) for size in tile.sizes)


def write_jobs(folder: Path) -> None:
    """Compile every launch, with and without notes."""
    from kernels.workload import Launch, Problem
    from simulator.frontends.cuda import compile_cuda
    from validation.jobs import write_job
    from validation.prepare import make_job

    for tile in LAUNCHES:
        kernel = compile_cuda(SOURCE, tile.entry, 90, tile.defines)
        problem = Problem(Launch((*tile.grid, 1), (*tile.block, 1), 0), arguments(tile), {})
        job = replace(make_job(tile.name, kernel, problem, {}, SEED), name=tile.name, stored=True)
        write_job(job, kernel.cubin, problem, folder)
        noted = compile_cuda(SOURCE, tile.entry, 90, (*tile.defines, "-DLOG"))
        (folder / tile.name / "noted.cubin").write_bytes(noted.cubin)


_TICKS, _ALONE = 32, 200_000  # so much shared memory that a block has its SM for itself
_CLOCKS = r"""
extern "C" __global__ void ticks(long long* out) {
  unsigned sm; asm volatile("mov.u32 %0,%%smid;":"=r"(sm));
  unsigned long long was, now; asm volatile("mov.u64 %0,%%globaltimer;":"=l"(was));
  for (int n = 0; n < TICKS; n++) {
    do { asm volatile("mov.u64 %0,%%globaltimer;":"=l"(now)); } while (now == was);
    long long c = clock64();
    if (threadIdx.x == 0) { out[(sm * TICKS + n) * 2] = now; out[(sm * TICKS + n) * 2 + 1] = c; }
    was = now;
  }
}
extern "C" __global__ void flush(float4* data, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  for (; i < n; i += (long long)gridDim.x * blockDim.x) data[i].x += 1.0f;
}
"""


def run(folder: Path, out: Path) -> None:
    """Note the clocks of every launch, cold and warm."""
    cupy = import_cupy()
    module = cupy.RawModule(code=_CLOCKS, options=(f"-DTICKS={_TICKS}",))
    ticks, flush = module.get_function("ticks"), module.get_function("flush")
    ticks.max_dynamic_shared_size_bytes = _ALONE
    room = cupy.zeros(64 << 20, cupy.float32)
    sms = cupy.cuda.Device().attributes["MultiProcessorCount"]
    found: dict[str, Any] = {"l2_bytes": cupy.cuda.Device().attributes["L2CacheSize"]}
    for tile in LAUNCHES:
        kernel = cupy.RawModule(path=str(folder / tile.name / "noted.cubin"))
        function = kernel.get_function(tile.entry)
        given = [cupy.asarray(x) if isinstance(x, np.ndarray) else x for x in arguments(tile)]
        stride = tile.steps + 2
        blocks = tile.grid[0] * tile.grid[1]
        logs = {heat: cupy.zeros(blocks * stride, cupy.uint32) for heat in HEATS}
        clocks = {heat: cupy.zeros(sms * 2 * _TICKS, cupy.int64) for heat in HEATS}
        for heat in HEATS:  # nothing comes between a launch and the next, which finds L2 warm
            if heat == "cold":
                flush((1024,), (256,), (room, np.int64(len(room) // 4)))
            ticks((sms,), (32,), (clocks[heat],), shared_mem=_ALONE)
            function((*tile.grid, 1), (*tile.block, 1), (*given, logs[heat], np.int32(stride)))
        for heat in HEATS[1:]:
            found[f"{tile.name}.{heat}.log"] = logs[heat].get().reshape(-1, stride)
            found[f"{tile.name}.{heat}.clock"] = clocks[heat].get().reshape(sms, _TICKS, 2)
    np.savez_compressed(out, **found)


def main() -> None:
    """Do what the command line says."""
    take_step(__doc__, write_jobs, run)


if __name__ == "__main__":
    run_script(main)
