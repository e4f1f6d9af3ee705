"""The sixth set of ``later_launches``: products, transforms, searches, solvers, statistics."""

from __future__ import annotations

from validation.unseen_launches import Unseen

# fmt: off


def biased_product(m: int, n: int, k: int) -> Unseen:
    return Unseen("gemm_nt", f"m{m}-n{n}-k{k}", f"{n // 64},{m // 128}", "256",
                  (f"f32[{m},{k}]=random", f"f32[{n},{k}]=random", f"f32[{n}]=random",
                   f"f32[{m},{n}]=zeros", f"i32={m}", f"i32={n}", f"i32={k}"))


def complex_product(m: int, n: int, k: int) -> Unseen:
    return Unseen("cgemm", f"m{m}-n{n}-k{k}", f"{-(-n // 64)},{-(-m // 32)}", "16,16",
                  (f"f32[{m},{k},2]=random", f"f32[{k},{n},2]=random", f"f32[{m},{n},2]=zeros",
                   f"i32={m}", f"i32={n}", f"i32={k}"))


def skinny(n: int, k: int) -> Unseen:
    return Unseen("skinny", f"{n}x{k}", f"{-(-n // 8)}", "256",
                  (f"f32[8,{k}]=random", f"f32[{n},{k}]=random", f"f32[8,{n}]=zeros", f"i32={n}",
                   f"i32={k // 4}"))


def walsh(rows: int) -> Unseen:
    return Unseen("walsh", f"{rows}", f"{rows}", "256",
                  (f"f32[{rows},1024]=random", f"f32[{rows},1024]=zeros"))


def colours(count: int, blocks: int) -> Unseen:
    return Unseen("color_lut", f"{count}", f"{blocks}", "256",
                  (f"u8[{count},4]=random", "f32[33,33,33,4]=random", f"u8[{count},4]=zeros",
                   f"i32={count}"))


def compact(n: int, limit: float) -> Unseen:
    return Unseen("compact", f"{n}", f"{-(-n // 256)}", "256",
                  (f"f32[{n}]=random", f"f32[{n}]=zeros", "i32[1]=zeros", f"i32={n}",
                   f"f32={limit}"), once=True)


def search(length: int, n: int) -> Unseen:
    return Unseen("search_sorted", f"{length}x{n}", f"{-(-n // 128)}", "128",
                  (f"f32[{length}]=arange", f"f32[{n}]=random", f"i32[{n}]=zeros",
                   f"i32={length}", f"i32={n}"))


def channels_last(images: int, channels: int, pixels: int) -> Unseen:
    return Unseen("channels_last", f"{images}x{channels}x{pixels}",
                  f"{-(-pixels // 32)},{-(-channels // 64)},{images}", "32,8",
                  (f"f16[{images},{channels},{pixels}]=random",
                   f"f16[{images},{pixels},{channels}]=zeros", f"i32={channels}",
                   f"i32={pixels}"))


def cell(rows: int, width: int) -> Unseen:
    return Unseen("lstm_cell", f"{rows}x{width}", f"{-(-rows * width // 256)}", "256",
                  (f"f32[{rows},4,{width}]=random", f"f32[4,{width}]=random",
                   f"f32[{rows},{width}]=random", f"f32[{rows},{width}]=zeros", f"i32={rows}",
                   f"i32={width}"))


def cholesky(count: int) -> Unseen:
    return Unseen("cholesky", f"{count}", f"{-(-count // 4)}", "128",
                  (f"f32[{count},32,32]=random", f"f32[{count},32,32]=zeros", f"i32={count}"))


def tridiagonal(systems: int, length: int) -> Unseen:
    return Unseen("tridiagonal", f"{systems}x{length}", f"{-(-systems // 64)}", "64",
                  (*[f"f32[{length},{systems}]=random"] * 2,
                   *[f"f32[{length},{systems}]=zeros"] * 2, f"i32={systems}", f"i32={length}"))


def statistics(images: int, channels: int, pixels: int) -> Unseen:
    return Unseen("channel_stats", f"{images}x{channels}x{pixels}", f"{channels}", "512",
                  (f"f32[{images},{channels},{pixels}]=random", f"f32[{channels},2]=zeros",
                   f"i32={images}", f"i32={channels}", f"i32={pixels // 4}"))


SIXTH = (
    biased_product(512, 512, 768), biased_product(2048, 3072, 1024),
    complex_product(300, 400, 500), complex_product(1536, 1024, 768),
    skinny(2048, 2048), skinny(16384, 5120),
    walsh(1500), walsh(40000),
    colours(500000, 528), colours(12000000, 1056),
    compact(700000, 0.5), compact(40000000, -0.2),
    search(100000, 200000), search(20000000, 4000000),
    channels_last(2, 96, 3136), channels_last(16, 256, 12544),
    cell(64, 1024), cell(4096, 1536),
    cholesky(2000), cholesky(60000),
    tridiagonal(8192, 128), tridiagonal(200000, 96),
    statistics(8, 256, 784), statistics(32, 512, 3136),
)
