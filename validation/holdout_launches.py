"""Kernels as users write them, at two sizes each, that were predicted before they were measured.

What was predicted then stands in ``blind_predictions.json``. What the comparison showed has been
worked on since, so that later predictions are no longer blind.
"""

from __future__ import annotations

from validation.unseen_launches import Unseen

# fmt: off


def product(
    source: str, m: int, n: int, k: int, tile: tuple[int, int], threads: int, kind: str = "f32"
) -> Unseen:
    arguments = (
        f"{kind}[{m},{k}]=random", f"{kind}[{k},{n}]=random", f"{kind}[{m},{n}]=zeros",
        f"i32={m}", f"i32={n}", f"i32={k}",
    )
    grid = f"{-(-n // tile[1])},{-(-m // tile[0])}"
    return Unseen(source, f"m{m}-n{n}-k{k}", grid, str(threads), arguments)


def attention(n: int, heads: int) -> Unseen:
    rows = f"f32[{heads},{n},64]"
    return Unseen("flash_attention", f"{heads}x{n}", f"{n // 128},{heads}", "128",
                  (*[f"{rows}=random"] * 3, f"{rows}=zeros", f"i32={n}"))


def stencil(nx: int, ny: int, nz: int) -> Unseen:
    return Unseen("stencil_queue", f"{nx}x{ny}x{nz}", f"{nx // 32},{ny // 8}", "32,8",
                  (f"f32[{nz + 8},{ny + 8},{nx + 8}]=random", f"f32[{nz},{ny},{nx}]=zeros",
                   f"i32={nx}", f"i32={ny}", f"i32={nz}"))


def bodies(n: int, threads: int) -> Unseen:
    return Unseen("nbody_tiles", f"{n}", f"{-(-n // threads)}", f"{threads}",
                  (f"f32[{n},4]=random", f"f32[{n},4]=zeros", f"i32={n}", "f32=0.01"),
                  16 * threads)


def ell(rows: int) -> Unseen:
    return Unseen("spmv_ell", f"{rows}", f"{-(-rows // 128)}", "128",
                  (f"f32[100,{rows}]=random", f"i8[100,{rows}]=random", f"i8[{rows}]=random",
                   f"f32[{rows}]=random", f"f32[{rows}]=zeros", f"i32={rows}"))


def coo(count: int) -> Unseen:
    return Unseen("spmv_coo", f"{count}", f"{-(-count // 256)}", "256",
                  (f"i32[{count}]=arange", f"i32[{count}]=random", f"f32[{count}]=random",
                   "f32[65536]=random", f"f32[{count // 13 + 1}]=zeros", f"i32={count}"))


def image_filter(width: int, height: int) -> Unseen:
    grid = f"{-(-width // 128)},{-(-height // 8)}"
    return Unseen("filter_5x5", f"{width}x{height}", grid, "32,8",
                  (f"u8[{height},{width}]=random", f"u8[{height},{width}]=zeros",
                   f"i32={width}", f"i32={height}"))


def matvec(rows: int, quads: int) -> Unseen:
    return Unseen("matvec_warp", f"{rows}x{4 * quads}", f"{-(-rows // 3)}", "96",
                  (f"f32[{rows},{4 * quads}]=random", f"f32[{4 * quads}]=random",
                   f"f32[{rows}]=zeros", f"i32={rows}", f"i32={quads}"))


def small_products(count: int) -> Unseen:
    return Unseen("gemm_small", f"{count}", f"{-(-count // 8)}", "32,8",
                  (*[f"f32[{count},16,16]=random"] * 3, "f32=1.5", "f32=0.5", f"i32={count}"))


def bytes_product(m: int, n: int, k: int) -> Unseen:
    return Unseen("gemm_dp4a", f"m{m}-n{n}-k{k}", f"{n // 64},{m // 64}", "256",
                  (f"i8[{m},{k}]=random", f"i8[{n},{k}]=random", f"i32[{m},{n}]=zeros",
                   f"i32={m}", f"i32={n}", f"i32={k // 4}"))


def gelu(eights: int, columns: int) -> Unseen:
    return Unseen("gelu_half2", f"{eights}", f"{-(-eights // 256)}", "256",
                  (f"f16[{eights},8]=random", f"f16[{columns},8]=random", f"f16[{eights},8]=zeros",
                   f"i32={eights}", f"i32={columns}"))


def embedding(sentences: int, length: int, rows: int) -> Unseen:
    return Unseen("embedding", f"{sentences}x{length}", f"{-(-sentences // 8)}", "256",
                  (f"f32[{rows},32]=random", f"u32[{sentences},{length}]=random",
                   f"f32[{sentences},32]=zeros", f"i32={sentences}", f"i32={length}",
                   f"u32={rows - 1}"))


def transpose(rows: int, columns: int) -> Unseen:
    return Unseen("transpose_short", f"{rows}x{columns}", f"{columns // 64},{rows // 64}", "32,8",
                  (f"u16[{rows},{columns}]=arange", f"u16[{columns},{rows}]=zeros",
                   f"i32={rows}", f"i32={columns}"))


def bilateral(width: int, height: int) -> Unseen:
    grid = f"{-(-width // 16)},{-(-height // 16)}"
    return Unseen("bilateral", f"{width}x{height}", grid, "16,16",
                  (f"f32[{height},{width}]=random", f"f32[{height},{width}]=zeros",
                   f"i32={width}", f"i32={height}", "f32=0.2", "f32=3.0"))


def graph(vertices: int) -> Unseen:
    return Unseen("bfs_step", f"{vertices}", f"{-(-vertices // 256)}", "256",
                  (f"i32[{vertices}]=random", f"u8[{vertices}]=random",
                   f"i32[{vertices},32]=random", f"i32[{vertices}]=zeros", "i32[1]=zeros",
                   f"i32={vertices}", "i32=3"))


def layernorm(rows: int, columns: int, threads: int) -> Unseen:
    both = f"f32[{rows},{columns}]=random"
    return Unseen("layernorm_backward", f"{rows}x{columns}", f"{rows}", f"{threads}",
                  (both, both, f"f32[{columns}]=random", f"f32[{rows}]=random",
                   f"f32[{rows}]=random", f"f32[{rows},{columns}]=zeros", f"i32={columns}"))


def points(n: int) -> Unseen:
    return Unseen("polynomial", f"{n}", f"{-(-n // 4096)}", "1024",
                  (f"f32[{n}]=random", "f32[16]=random", f"f32[{n}]=zeros", f"i32={n}"))


def transforms(count: int) -> Unseen:
    return Unseen("fft_shared", f"{count}", f"{count}", "256",
                  (f"f32[{count},1024,2]=random", f"f32[{count},1024,2]=zeros"))


def sort(count: int) -> Unseen:
    buffer = f"u32[{count},2048]"
    return Unseen("bitonic_shared", f"{count}", f"{count}", "1024",
                  (f"{buffer}=arange", f"{buffer}=zeros", f"{buffer}=zeros"))


def histogram(n: int, blocks: int) -> Unseen:
    return Unseen("histogram_matched", f"{n}", f"{blocks}", "256",
                  (f"u8[{n}]=random", "u32[256]=zeros", f"i32={n}"))


def argmax(n: int) -> Unseen:
    return Unseen("argmax", f"{n}", "660", "384",
                  (f"f32[{n}]=random", "u64[1]=zeros", f"i32={n}"))


def scan(rows: int) -> Unseen:
    return Unseen("scan_groups", f"{rows}", f"{rows}", "512",
                  (f"i32[{rows},2048]=random", f"i32[{rows},2048]=zeros", f"i32[{rows}]=zeros"))


def chance(blocks: int, threads: int, each: int) -> Unseen:
    return Unseen("monte_carlo", f"{blocks}x{threads}x{each}", f"{blocks}", f"{threads}",
                  ("u64[1]=zeros", "u32=12345", f"i32={each}"))


def mandelbrot(width: int, height: int, block: tuple[int, int], most: int) -> Unseen:
    x, y = block
    return Unseen("mandelbrot", f"{width}x{height}", f"{-(-width // x)},{-(-height // y)}",
                  f"{x},{y}", (f"u16[{height},{width}]=zeros", f"i32={width}", f"i32={height}",
                               f"i32={most}"))


def alignments(pairs: int) -> Unseen:
    return Unseen("smith_waterman", f"{pairs}", f"{pairs}", "256",
                  (f"u8[{pairs},256]=random", f"u8[{pairs},256]=random", f"i32[{pairs}]=zeros"))


HOLDOUT = (
    attention(512, 16), attention(1024, 48),
    transforms(1500), transforms(10000),
    sort(132), sort(1500),
    bodies(3000, 96), bodies(30000, 384),
    stencil(128, 128, 64), stencil(512, 256, 64),
    ell(20000), ell(200000),
    coo(1000000), coo(6500000),
    image_filter(3000, 1024), image_filter(7000, 5000),
    histogram(1000000, 264), histogram(16000000, 1056),
    matvec(400, 2048), matvec(8000, 1024),
    small_products(8000), small_products(60000),
    bytes_product(512, 512, 1024), bytes_product(2048, 2048, 1024),
    product("wmma_bf16", 512, 512, 512, (64, 64), 128),
    product("wmma_bf16", 2048, 2048, 1024, (64, 64), 128),
    product("wmma_tf32", 512, 256, 512, (64, 32), 128),
    product("wmma_tf32", 1024, 1024, 1024, (64, 32), 128),
    product("dgemm", 256, 320, 300, (32, 32), 256, "f64"),
    product("dgemm", 1000, 1200, 700, (32, 32), 256, "f64"),
    gelu(1000000, 512), gelu(2000000, 512),
    embedding(8000, 50, 1 << 16), embedding(60000, 40, 1 << 20),
    transpose(3072, 2112), transpose(8192, 6144),
    argmax(4000000), argmax(50000000),
    scan(1500), scan(10000),
    chance(264, 256, 200), chance(2000, 512, 500),
    mandelbrot(1000, 600, (32, 8), 300), mandelbrot(1920, 1080, (16, 16), 500),
    bilateral(600, 400), bilateral(1920, 1080),
    alignments(264), alignments(3000),
    graph(200000), graph(1000000),
    layernorm(1056, 1024, 256), layernorm(4096, 2048, 512),
    product("gemm_async", 512, 512, 512, (64, 64), 256),
    product("gemm_async", 1536, 1024, 1024, (64, 64), 256),
    points(4000000), points(20000000),
)
