"""Launches that cover a line or a matrix with blocks."""

from __future__ import annotations

from kernels.sizes import MAX_GRID_YZ, blocks_for
from kernels.workload import Dim3, Launch

THREADS = 256


def over_line(name: str, size: int, per_block: int = THREADS) -> Launch:
    """Blocks of 256 threads, ``per_block`` elements each, over the dimension ``name``."""
    return Launch((blocks_for(name, size, per_block), 1, 1), (THREADS, 1, 1))


def over_matrix(
    shape: tuple[int, int],
    tile: tuple[int, int],
    block: Dim3,
    names: tuple[str, str] = ("rows", "columns"),
) -> Launch:
    """Blocks that cover ``tile`` (rows, columns) each: columns along x, rows along y."""
    across = blocks_for(names[1], shape[1], tile[1])
    down = blocks_for(names[0], shape[0], tile[0], limit=MAX_GRID_YZ)
    return Launch((across, down, 1), block)
