"""CUDA source of the probes that are no family: lanes, matrix products, atomics, division."""

from __future__ import annotations

DIVIDE = """
extern "C" __global__ void divide(const float* a, const float* b, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] / b[i];
}
"""

# Votes of groups whose masks differ, as tiles and coalesced groups make them.
MASKS = """
extern "C" __global__ void masks(const unsigned* a, const unsigned* b, const unsigned* c,
                                 unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = a[i], lane = threadIdx.x & 31;
    unsigned tile = 0xFFu << (lane & 24), parity = 0x55555555u << (lane & 1);
    out[i] = __ballot_sync(tile, x & 1);
    out[n + i] = __all_sync(tile, x & 6) + 2 * __any_sync(tile, x & 8);
    out[2 * n + i] = __shfl_sync(parity, x, lane & 6 | (lane & 1));
    out[3 * n + i] = __reduce_add_sync(parity, x);
    unsigned pairs = __match_any_sync(0xFFFFFFFFu, x & 3);
    out[4 * n + i] = __reduce_max_sync(pairs, x);
    if (x & 1) {
        out[5 * n + i] = __ballot_sync(__activemask(), b[i] & 1);
        __syncwarp(__activemask());
    } else {
        out[5 * n + i] = __reduce_min_sync(__activemask(), b[i]);
    }
    __syncwarp();
    out[6 * n + i] = __ballot_sync(0xFFFFFFFFu, c[i] & 1);
}
"""

_SHUFFLES = ("idx", "up", "down", "bfly")
_REDUCTIONS = (
    "add.s32", "min.s32", "min.u32", "max.s32", "max.u32", "and.b32", "or.b32", "xor.b32",
)  # fmt: skip


def lanes_source() -> tuple[str, int]:
    """A kernel of shuffles, matches and reductions, and the number of results a thread."""
    lines = [
        'extern "C" __global__ void lanes(const unsigned* a, const unsigned* b,',
        "        const unsigned* c, unsigned* out, int n) {",
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;",
        "    unsigned x = a[i], y = b[i], z = c[i], r, s;",
    ]
    count = 0
    for mode in _SHUFFLES:
        lines += [
            f'    asm volatile("{{.reg .pred p; shfl.sync.{mode}.b32 %0|p, %2, %3, %4, -1; '
            'selp.b32 %1, 1, 0, p;}" : "=r"(r), "=r"(s) : "r"(x), "r"(y), "r"(z));',
            f"    out[{count} * n + i] = r;",
            f"    out[{count + 1} * n + i] = s;",
        ]
        count += 2
    for name in _REDUCTIONS:
        lines += [
            f'    asm volatile("redux.sync.{name} %0, %1, -1;" : "=r"(r) : "r"(x));',
            f"    out[{count} * n + i] = r;",
        ]
        count += 1
    for width, key in (("b32", "x & 3"), ("b64", "(unsigned long long)(x & 3) << 32 | (y & 1)")):
        letter = "r" if width == "b32" else "l"
        other = key.replace("x & 3", "z >> 31")
        lines += [
            f'    asm volatile("match.any.sync.{width} %0, %1, -1;" '
            f': "=r"(r) : "{letter}"({key}));',
            f"    out[{count} * n + i] = r;",
            f'    asm volatile("{{.reg .pred p; match.all.sync.{width} %0|p, %2, -1; '
            f'selp.b32 %1, 1, 0, p;}}" : "=r"(r), "=r"(s) : "{letter}"({other}));',
            f"    out[{count + 1} * n + i] = r + 2 * s;",
        ]
        count += 2
    return "\n".join([*lines, "}", ""]), count


# name -> (PTX shape and types, registers of A, of B, of C, constraint of the accumulators)
PRODUCTS = {
    "f16": ("m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "f"),
    "bf16": ("m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, "f"),
    "tf32": ("m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, "f"),
    "f16k8": ("m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, "f"),
    "f16acc": ("m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, "r"),
    "f64": ("m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, "d"),
    "s8": ("m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, "r"),
    "u8sat": ("m16n8k32.row.col.satfinite.s32.u8.s8.s32", 4, 2, 4, "r"),
}


def product_source(name: str) -> str:
    """A kernel that multiplies one tile a warp; registers are [register][thread]."""
    shape, a, b, c, letter = PRODUCTS[name]
    kind = {"f": "float", "d": "double", "r": "unsigned"}[letter]
    source, element = ("d", "double") if letter == "d" else ("r", "unsigned")
    places = [f"%{n}" for n in range(c + a + b)]
    groups = places[:c], places[c : c + a], places[c + a :], places[:c]
    operands = ", ".join("{" + ", ".join(g) + "}" for g in groups)
    sources = [f'"{source}"(a[{n} * n + i])' for n in range(a)]
    sources += [f'"{source}"(b[{n} * n + i])' for n in range(b)]
    return "\n".join([
        f'extern "C" __global__ void product(const {element}* a, const {element}* b,',
        f"        const {kind}* c, {kind}* out, int n) {{",
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;",
        f"    {kind} r[{c}];",
        f"    for (int k = 0; k < {c}; ++k) r[k] = c[k * n + i];",
        f'    asm volatile("mma.sync.aligned.{shape} {operands};"',
        "        : " + ", ".join(f'"+{letter}"(r[{n}])' for n in range(c)),
        "        : " + ", ".join(sources) + ");",
        f"    for (int k = 0; k < {c}; ++k) out[k * n + i] = r[k];",
        "}",
        "",
    ])  # fmt: skip


_ATOMICS32 = (
    "add.f32", "add.noftz.f16x2", "add.noftz.bf16x2", "add.u32", "min.s32", "min.u32", "max.s32",
    "max.u32", "inc.u32", "dec.u32", "and.b32", "or.b32", "xor.b32", "exch.b32",
)  # fmt: skip
_ATOMICS64 = ("add.f64", "add.u64", "min.s64", "min.u64", "max.s64", "max.u64", "xor.b64")


def atomics_source(wide: bool) -> tuple[str, int]:
    """A kernel whose threads each update words of their own; and the number of results."""
    names = _ATOMICS64 if wide else _ATOMICS32
    kind, letter = ("unsigned long long", "l") if wide else ("unsigned", "r")
    entry = "atomics64" if wide else "atomics32"
    lines = [
        f'extern "C" __global__ void {entry}(const {kind}* a, const {kind}* b,',
        f"        const {kind}* c, {kind}* out, int n) {{",
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;",
        f"    {kind} r;",
    ]
    for place, name in enumerate(names):
        lines += [
            f"    out[{place} * n + i] = b[i];",
            f'    asm volatile("atom.global.{name} %0, [%1], %2;" : "={letter}"(r)',
            f'        : "l"(out + {place} * n + i), "{letter}"(a[i]) : "memory");',
        ]
    return "\n".join([*lines, "}", ""]), len(names)
