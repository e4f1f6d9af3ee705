"""Further sets of kernels as users write them, predicted before they were measured.

What was predicted stands in ``blind_predictions.json`` (``validation.blind``).
"""

from __future__ import annotations

from validation.holdout_launches import product
from validation.sixth_launches import SIXTH
from validation.unseen_launches import Unseen

# fmt: off


def convolution(batch: int, channels: int, outputs: int, side: int) -> Unseen:
    tiles = -(-side // 16)
    return Unseen("conv_tiles", f"{batch}x{channels}x{outputs}x{side}",
                  f"{tiles * tiles},{outputs // 8},{batch}", "16,16",
                  (f"f32[{batch},{channels},{side},{side}]=random",
                   f"f32[{outputs},{channels},9]=random", f"f32[{outputs}]=random",
                   f"f32[{batch},{outputs},{side},{side}]=zeros", f"i32={channels}",
                   f"i32={outputs}", f"i32={side}", f"i32={side}"))


def norm(rows: int, eights: int) -> Unseen:
    return Unseen("rmsnorm_half", f"{rows}x{8 * eights}", f"{rows}", "256",
                  (f"f16[{rows},{8 * eights}]=random", f"f16[{8 * eights}]=random",
                   f"f16[{rows},{8 * eights}]=zeros", f"i32={eights}", "f32=0.00001"))


def options(n: int, blocks: int) -> Unseen:
    return Unseen("black_scholes", f"{n}", f"{blocks}", "128",
                  (*[f"f32[{n}]=zeros"] * 2, *[f"f32[{n}]=random"] * 3, "f32=0.02", "f32=0.3",
                   f"i32={n}"))


def lattice(width: int, height: int) -> Unseen:
    return Unseen("lattice_d2q9", f"{width}x{height}", f"{-(-width // 256)},{height}", "256",
                  (f"f32[9,{height},{width}]=random", f"f32[9,{height},{width}]=zeros",
                   f"i32={width}", f"i32={height}", "f32=0.6"))


def kmeans(n: int, centres: int, blocks: int) -> Unseen:
    return Unseen("kmeans_assign", f"{n}x{centres}", f"{blocks}", "256",
                  (f"f32[{n},8]=random", f"f32[{centres},8]=random", f"i32[{n}]=zeros",
                   f"f32[{centres},8]=zeros", f"i32[{centres}]=zeros", f"i32={n}",
                   f"i32={centres}"), 68 * centres)


def pagerank(vertices: int) -> Unseen:
    return Unseen("pagerank_pull", f"{vertices}", f"{-(-vertices // 24)}", "192",
                  (f"f32[{vertices}]=random", f"u8[{vertices}]=random",
                   f"u32[{vertices},64]=random", f"f32[{vertices}]=zeros", f"i32={vertices}",
                   "f32=0.85"))


def quantize(rows: int, quads: int) -> Unseen:
    return Unseen("quantize_rows", f"{rows}x{4 * quads}", f"{-(-rows // 4)}", "32,4",
                  (f"f32[{rows},{4 * quads}]=random", f"i8[{rows},{4 * quads}]=zeros",
                   f"f32[{rows}]=zeros", f"i32={rows}", f"i32={quads}"))


def split_product(m: int, n: int, k: int, shares: int) -> Unseen:
    grid = f"{-(-n // 32)},{-(-m // 32)},{shares}"
    return Unseen("gemm_split_k", f"m{m}-n{n}-k{k}", grid, "64",
                  (f"f32[{m},{k}]=random", f"f32[{k},{n}]=random", f"f32[{m},{n}]=zeros",
                   f"i32={m}", f"i32={n}", f"i32={k}"))


def softmax(rows: int) -> Unseen:
    return Unseen("softmax_warp", f"{rows}", f"{-(-rows // 6)}", "192",
                  (f"f32[{rows},384]=random", f"f32[{rows},384]=zeros", f"i32={rows}"))


def digest(n: int, times: int) -> Unseen:
    return Unseen("digest", f"{n}x{times}", f"{-(-n // 128)}", "128",
                  (f"u32[16,{n}]=arange", f"u32[8,{n}]=zeros", f"i32={n}", f"i32={times}"))


def jacobi(width: int, height: int) -> Unseen:
    both = f"f64[{height + 2},{width + 2}]"
    return Unseen("jacobi_double", f"{width}x{height}", f"{width // 32},{height // 8}", "32,8",
                  (f"{both}=random", f"{both}=zeros", f"f64[{width // 32 * (height // 8)}]=zeros",
                   f"i32={width}", f"i32={height}"))


def sparse(rows: int, columns: int) -> Unseen:
    return Unseen("spmm_rows", f"{rows}x{columns}", f"{-(-rows // 4)}", "128",
                  (f"u8[{rows}]=random", f"u32[{rows},32]=random", f"f32[{rows},32]=random",
                   f"f32[{columns},64]=random", f"f32[{rows},64]=zeros", f"i32={rows}",
                   f"u32={columns}"))


def recurrence(batch: int, steps: int, channels: int) -> Unseen:
    data = f"f32[{batch},{steps},{channels}]"
    return Unseen("recurrence", f"{batch}x{steps}x{channels}", f"{-(-channels // 64)},{batch}",
                  "64", (*[f"{data}=random"] * 2, *[f"f32[{channels}]=random"] * 2,
                         f"{data}=zeros", f"i32={steps}", f"i32={channels}"))


def adam(quads: int) -> Unseen:
    return Unseen("adam", f"{4 * quads}", f"{-(-quads // 512)}", "512",
                  (*[f"f32[{quads},4]=random"] * 4, f"i32={quads}", "f32=0.001", "f32=0.9",
                   "f32=0.999", "f32=0.00000001"))


def matvec(outputs: int, inputs: int) -> Unseen:
    return Unseen("matvec_int4", f"{outputs}x{inputs}", f"{-(-outputs // 4)}", "128",
                  (f"u32[{outputs},{inputs // 8}]=arange", f"f32[{outputs},{inputs // 128}]=random",
                   f"f32[{inputs}]=random", f"f32[{outputs}]=zeros", f"i32={outputs}",
                   f"i32={inputs}"))


def sobel(width: int, height: int) -> Unseen:
    return Unseen("sobel", f"{width}x{height}", f"{-(-width // 64)},{-(-height // 16)}", "16,16",
                  (f"u8[{height},{width}]=random", f"u8[{height},{width}]=zeros",
                   f"i32={width}", f"i32={height}"))


def triangle(n: int, k: int) -> Unseen:
    return Unseen("syrk_lower", f"{n}x{k}", f"{n // 64},{n // 64}", "16,16",
                  (f"f32[{n},{k}]=random", f"f32[{n},{n}]=zeros", f"i32={n}", f"i32={k}"))


def attention(heads: int, length: int) -> Unseen:
    return Unseen("attention_row", f"{heads}x{length}", f"{heads}", "256",
                  (f"f32[{heads},64]=random", *[f"f16[{heads},{length},64]=random"] * 2,
                   f"f32[{heads},64]=zeros", f"i32={length}"), 4 * length)


def line(n: int) -> Unseen:
    return Unseen("convolve_line", f"{n}", f"{-(-n // 256)}", "256",
                  (f"f32[{n}]=random", f"f32[{n}]=zeros", f"i32={n}"))


def heat(nx: int, ny: int, nz: int) -> Unseen:
    return Unseen("heat_3d", f"{nx}x{ny}x{nz}", f"{nx // 32},{ny // 8}", "32,8",
                  (f"f32[{nz},{ny},{nx}]=random", f"f32[{nz},{ny},{nx}]=zeros",
                   *[f"i32={n}" for n in (nx, ny, nz)], "f32=0.1"))


def merge(na: int, nb: int) -> Unseen:
    return Unseen("merge_ranks", f"{na}x{nb}", f"{-(-(na + nb) // 2048)}", "256",
                  (f"u32[{na}]=arange", f"u32[{nb}]=arange", f"u32[{na + nb}]=zeros",
                   f"i32={na}", f"i32={nb}"))


def life(words: int, rows: int) -> Unseen:
    return Unseen("life", f"{4 * words}x{rows}", f"{-(-words // 32)},{-(-rows // 8)}", "32,8",
                  (f"u32[{rows},{words}]=arange", f"u32[{rows},{words}]=zeros",
                   f"i32={words}", f"i32={rows}"))


def entropy(rows: int, classes: int, threads: int) -> Unseen:
    return Unseen("cross_entropy", f"{rows}x{classes}", f"{rows}", f"{threads}",
                  (f"f16[{rows},{classes}]=random", f"u8[{rows}]=random", f"f32[{rows}]=zeros",
                   f"f16[{rows},{classes}]=zeros", f"i32={classes}"))


def turned_product(m: int, n: int, k: int) -> Unseen:
    return Unseen("gemm_tn", f"m{m}-n{n}-k{k}", f"{n // 64},{m // 64}", "256",
                  (f"f32[{k},{m}]=random", f"f32[{k},{n}]=random", f"f32[{m},{n}]=zeros",
                   f"i32={m}", f"i32={n}", f"i32={k}"))


def half_product(m: int, n: int, k: int) -> Unseen:
    return Unseen("hgemm_swizzled", f"m{m}-n{n}-k{k}", f"{n // 64},{m // 64}", "128",
                  (f"f16[{m},{k}]=random", f"f16[{k},{n}]=random", f"f16[{m},{n}]=zeros",
                   f"i32={m}", f"i32={n}", f"i32={k}"))


def depthwise(height: int, width: int, channels: int) -> Unseen:
    return Unseen("depthwise", f"{height}x{width}x{channels}",
                  f"{-(-channels // 64)},{-(-width // 32)},{height}", "32,8",
                  (f"f16[{height},{width},{channels}]=random", f"f16[9,{channels}]=random",
                   f"f16[{height},{width},{channels}]=zeros", f"i32={height}", f"i32={width}",
                   f"i32={channels // 2}"))


def pool(count: int, side: int) -> Unseen:
    half = side // 2
    return Unseen("max_pool", f"{count}x{side}", f"{-(-count * half * half // 256)}", "256",
                  (f"f32[{count},{side},{side}]=random", f"f32[{count},{half},{half}]=zeros",
                   f"i32[{count},{half},{half}]=zeros", f"i32={count}", f"i32={side}",
                   f"i32={side}"))


def blur(width: int, height: int) -> Unseen:
    return Unseen("blur_columns", f"{width}x{height}", f"{width // 16},{-(-height // 64)}", "16,8",
                  (f"f32[{height},{width}]=random", f"f32[{height},{width}]=zeros",
                   f"i32={width}", f"i32={height}"))


def dot(pairs: int, blocks: int) -> Unseen:
    return Unseen("dot", f"{2 * pairs}", f"{blocks}", "256",
                  (*[f"f32[{pairs},2]=random"] * 2, "f32[1]=zeros", f"i32={pairs}"))


def rotary(tokens: int, heads: int) -> Unseen:
    return Unseen("rotary", f"{tokens}x{heads}", f"{tokens}", "256",
                  (f"f16[{tokens},{heads},128]=random", f"f16[{tokens},{heads},128]=zeros",
                   f"i32[{tokens}]=arange", f"i32={heads}", "f32=0.2076"))


def paths(n: int, pivot: int) -> Unseen:
    return Unseen("shortest_paths", f"{n}", f"{n // 64},{n // 64}", "16,16",
                  (f"i32[{n},{n}]=random", f"i32={n}", f"i32={pivot}"))


def bitonic(half: int, distance: int, span: int) -> Unseen:
    return Unseen("bitonic_step", f"{2 * half}-{distance}", f"{-(-half // 512)}", "512",
                  (f"u32[{2 * half}]=random", f"u32[{2 * half}]=arange", f"i32={half}",
                   f"i32={distance}", f"i32={span}"), once=True)


SECOND = (
    product("gemm_warp_tiles", 512, 512, 512, (128, 64), 128),
    product("gemm_warp_tiles", 2048, 1536, 1024, (128, 64), 128),
    convolution(2, 32, 64, 56), convolution(8, 64, 64, 112),
    norm(1500, 512), norm(8000, 768),
    options(1000000, 528), options(20000000, 2112),
    lattice(1000, 300), lattice(3000, 2000),
    kmeans(300000, 16, 264), kmeans(2000000, 100, 528),
    pagerank(50000), pagerank(500000),
    quantize(4000, 2048), quantize(30000, 1024),
)
THIRD = (
    split_product(256, 384, 2048, 8), split_product(1000, 500, 4096, 4),
    softmax(20000), softmax(100000),
    digest(67584, 4), digest(500000, 3),
    jacobi(1024, 512), jacobi(4096, 3072),
    sparse(30000, 40000), sparse(200000, 300000),
    recurrence(8, 256, 1024), recurrence(32, 128, 2048),
    adam(500000), adam(6000000),
    matvec(4096, 4096), matvec(20000, 8192),
    sobel(2000, 1500), sobel(8000, 6000),
)
FOURTH = (
    product("gemm_blocktile", 1024, 1024, 1024, (128, 128), 256),
    product("gemm_blocktile", 500, 700, 300, (128, 128), 256),
    product("gemm_strip", 512, 768, 640, (64, 32), 64),
    product("gemm_strip", 2048, 2048, 512, (64, 32), 64),
    triangle(1024, 512), triangle(3072, 256),
    attention(96, 2048), attention(1056, 1024),
    line(300000), line(30000000),
    heat(256, 128, 64), heat(512, 512, 200),
    merge(200000, 300000), merge(6000000, 4000000),
    life(500, 900), life(4096, 10000),
    entropy(264, 8000, 256), entropy(2048, 32000, 512),
)
FIFTH = (
    turned_product(512, 384, 1024), turned_product(2048, 1024, 768),
    product("gemm_column", 512, 512, 512, (64, 64), 512),
    product("gemm_column", 1100, 1500, 900, (64, 64), 512),
    half_product(1024, 512, 1024), half_product(2048, 4096, 1024),
    depthwise(56, 56, 128), depthwise(112, 112, 512),
    pool(64, 112), pool(1024, 112),
    blur(1920, 1080), blur(6400, 5000),
    dot(1000000, 264), dot(15000000, 1056),
    rotary(500, 8), rotary(4096, 32),
    paths(1024, 256), paths(4096, 1024),
    bitonic(500000, 16, 64), bitonic(8388608, 4096, 1048576),
)
SETS = {"second": SECOND, "third": THIRD, "fourth": FOURTH, "fifth": FIFTH, "sixth": SIXTH}
