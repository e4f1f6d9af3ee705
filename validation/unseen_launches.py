"""Launches of ``validation.unseen``: own kernels, and other sizes of the catalogue's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from validation.own import OwnLaunch

SOURCES = Path(__file__).parent / "unseen_kernels"
SEED = 0


@dataclass(frozen=True, slots=True)
class Unseen:
    """One launch of a kernel in ``SOURCES``; texts as on the command line.

    ``once`` says that a second launch finds other work to do, in what the first has left.
    """

    source: str
    size: str
    grid: str
    block: str
    arguments: tuple[str, ...]
    shared_bytes: int = 0
    once: bool = False

    @property
    def name(self) -> str:
        """Name of its record."""
        return f"{self.source}-{self.size}"

    @property
    def own(self) -> OwnLaunch:
        """As a user would name it."""
        path = SOURCES / f"{self.source}.cu"
        return OwnLaunch(
            path, None, None, self.grid, self.block, self.shared_bytes, self.arguments, (), SEED
        )


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
    Unseen("vector_add", "67108864", "262144", "256",
           ("f32[67108864]=ones", "f32[67108864]=ones", "f32[67108864]=zeros", "i32=67108864")),
    Unseen("points", "8000000", "31250", "256",
           ("f32[24000000]=ones", "f32[24000000]=zeros", "i32=8000000")),
    Unseen("row_sums", "65536x256", "512", "128",
           ("f32[65536,256]=ones", "f32[65536]=zeros", "i32=65536", "i32=256")),
    Unseen("column_sums", "4096x4096", "16,64", "256",
           ("f32[4096,4096]=ones", "f32[4096]=zeros", "i32=4096", "i32=4096")),
    Unseen("bins", "500000", "1954", "256",
           ("f32[500224]=ones", "f32[16384]=zeros", "i32=500000", "u32=16383")),
)  # fmt: skip


def _square(n: int) -> dict[str, int]:
    return {"rows": n, "columns": n}


def _product(m: int, n: int, k: int) -> dict[str, int]:
    return {"m": m, "n": n, "k": k}


# Kernels of the catalogue at other sizes.
SIZES: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("naive_gemm", _product(768, 768, 768)),
    ("tiled_gemm", _product(2048, 1536, 512)),
    ("coarse_gemm", _product(2000, 2100, 500)),
    ("register_tiled_gemm", _product(2048, 1024, 1024)),
    ("vectorized_gemm", _product(512, 2048, 768)),
    ("double_buffer_gemm", _product(1536, 1536, 1536)),
    ("register_tiling_gemm", _product(4096, 2048, 1024)),
    ("register_tiling_padded", _product(3000, 2000, 1000)),
    ("register_tiling_cured", _product(1024, 1024, 1024)),
    ("sgemm_reg_tiled", _product(2048, 2048, 512)),
    ("sgemm_shared_naive", _product(1500, 1000, 500)),
    ("hgemm_tensor", _product(2048, 2048, 2048)),
    ("transpose_naive", _square(8192)),
    ("transpose_tiled", _square(8192)),
    ("transpose_padded", _square(8192)),
    ("transpose_swizzled", {"rows": 5000, "columns": 3000}),
    ("reduction_interleaved", {"n": 1 << 25}),
    ("reduction_sequential", {"n": 10_000_000}),
    ("reduction_shuffle", {"n": 1 << 26}),
    ("scan_hillis_steele", {"n": 1 << 23}),
    ("scan_blelloch", {"n": 1 << 23}),
    ("local_sort", {"n": 100_000}),
    ("histogram_shared", {"n": 1 << 24}),
    ("histogram_global", {"n": 1 << 22}),
    ("softmax", {"rows": 16384, "columns": 2048}),
    ("layernorm", {"rows": 300, "columns": 4000}),
    ("stencil_1d", {"n": 50_000_000}),
    ("stencil_2d", {"rows": 6000, "columns": 6000}),
    ("spmv_csr", {"rows": 65536, "columns": 65536, "row_length": 32}),
    ("saxpy", {"n": 1 << 26}),
    ("strided_copy", {"n": 1 << 22, "stride": 16}),
    ("aos_sum", {"n": 1 << 23}),
    ("soa_sum", {"n": 1 << 24}),
)
