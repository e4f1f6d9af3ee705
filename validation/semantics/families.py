"""Families of operations, each one kernel: PTX of three operands and a result.

In the PTX ``%0`` is the result, ``%1`` to ``%3`` the operands; ``{p}`` lines declare what they
need in braces. Operands are untyped bits of 32 (``r``) or 64 (``l``) bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """``inputs`` names the generator of the operands, ``bounded`` results within some ulps."""

    name: str
    inputs: str
    source: str  # "r" or "l"
    target: str
    operations: Mapping[str, str]
    bounded: bool = False


ROUNDINGS = ("rn", "rz", "rm", "rp")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
FLOAT_COMPARISONS = (*COMPARISONS, "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")


def _setp(kind: str, comparisons: tuple[str, ...], ftz: str = "") -> dict[str, str]:
    return {
        f"setp.{c}{ftz}.{kind}": (
            f"{{.reg .pred p; setp.{c}{ftz}.{kind} p, %1, %2; selp.b32 %0, 1, 0, p;}}"
        )
        for c in comparisons
    }


def _plain(operands: int, *names: str) -> dict[str, str]:
    arguments = ", ".join(f"%{n}" for n in range(operands + 1))
    return {name: f"{name} {arguments};" for name in names}


def _integer32() -> dict[str, str]:
    found = _plain(
        2, "add.s32", "sub.s32", "mul.lo.s32", "mul.hi.s32", "mul.hi.u32", "mul24.lo.s32",
        "mul24.lo.u32", "min.s32", "min.u32", "max.s32", "max.u32", "and.b32", "or.b32", "xor.b32",
        "shl.b32", "shr.u32", "shr.s32", "add.sat.s32", "sub.sat.s32", "bmsk.clamp.b32",
        "bmsk.wrap.b32", "szext.clamp.s32", "szext.wrap.s32", "szext.clamp.u32", "szext.wrap.u32",
        "add.u16x2", "add.s16x2", "min.u16x2", "min.s16x2", "max.u16x2", "max.s16x2",
    )  # fmt: skip
    found |= _plain(
        3, "mad.lo.s32", "mad.hi.s32", "mad.hi.u32", "mad24.lo.s32", "sad.s32", "sad.u32",
        "shf.l.wrap.b32", "shf.l.clamp.b32", "shf.r.wrap.b32", "shf.r.clamp.b32", "prmt.b32",
        "prmt.b32.f4e", "prmt.b32.b4e", "prmt.b32.rc8", "prmt.b32.ecl", "prmt.b32.ecr",
        "prmt.b32.rc16", "bfe.u32", "bfe.s32", "dp4a.s32.s32", "dp4a.u32.s32", "dp4a.u32.u32",
        "dp2a.lo.s32.s32", "dp2a.hi.u32.s32", "dp2a.hi.s32.u32", "slct.b32.s32",
    )  # fmt: skip
    found |= _plain(
        1, "abs.s32", "neg.s32", "not.b32", "cnot.b32", "brev.b32", "popc.b32", "clz.b32",
        "bfind.u32", "bfind.s32", "bfind.shiftamt.u32", "bfind.shiftamt.s32",
    )  # fmt: skip
    for table in (0x01, 0x1B, 0x2D, 0x96, 0xCA, 0xE8, 0xF1):
        found[f"lop3.{table:#04x}"] = f"lop3.b32 %0, %1, %2, %3, {table:#04x};"
    found["bfi.b32"] = "{.reg .b32 w; and.b32 w, %3, 255; bfi.b32 %0, %1, %2, %3, w;}"
    found["div.u32"] = "div.u32 %0, %1, %2;"
    found["rem.s32"] = "{.reg .b32 d; or.b32 d, %2, 1; rem.s32 %0, %1, d;}"
    found["div.s32"] = "{.reg .b32 d; or.b32 d, %2, 1; div.s32 %0, %1, d;}"
    found["addc"] = "{.reg .b32 t; add.cc.u32 t, %1, %2; addc.u32 %0, %3, t;}"
    found["subc"] = "{.reg .b32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, t;}"
    found["madc"] = "{.reg .b32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, t;}"
    found["addc.cc"] = (
        "{.reg .b32 t, s; add.cc.u32 t, %1, %2; addc.cc.u32 s, %2, %3; addc.u32 %0, t, s;}"
    )
    return found | _setp("s32", COMPARISONS) | _setp("u32", COMPARISONS)


def _integer64() -> dict[str, str]:
    found = _plain(
        2, "add.s64", "sub.s64", "mul.lo.s64", "mul.hi.s64", "mul.hi.u64", "min.s64", "min.u64",
        "max.s64", "max.u64", "xor.b64",
    )  # fmt: skip
    found |= _plain(3, "mad.lo.s64", "sad.s64", "sad.u64")
    found |= _plain(1, "abs.s64", "neg.s64", "not.b64", "cnot.b64", "brev.b64")
    for name in ("shl.b64", "shr.u64", "shr.s64"):
        found[name] = f"{{.reg .b32 s; cvt.u32.u64 s, %2; {name} %0, %1, s;}}"
    for name in ("bfe.u64", "bfe.s64"):
        found[name] = (
            f"{{.reg .b32 s, t; cvt.u32.u64 s, %2; cvt.u32.u64 t, %3; {name} %0, %1, s, t;}}"
        )
    for name in ("div.u64", "rem.u64", "div.s64", "rem.s64"):
        found[name] = f"{{.reg .b64 d; or.b64 d, %2, 1; {name} %0, %1, d;}}"
    for name in ("mul.wide.s32", "mul.wide.u32", "mad.wide.s32", "mad.wide.u32"):
        third = ", %3" if name.startswith("mad") else ""
        found[name] = (
            f"{{.reg .b32 s, t; cvt.u32.u64 s, %1; cvt.u32.u64 t, %2; {name} %0, s, t{third};}}"
        )
    return found


def _compare64() -> dict[str, str]:
    found = {**_setp("s64", COMPARISONS), **_setp("u64", COMPARISONS)}
    return found | _plain(1, "popc.b64", "clz.b64", "bfind.u64", "bfind.s64", "bfind.shiftamt.u64")


def _float32() -> dict[str, str]:
    found: dict[str, str] = {}
    for ftz in ("", ".ftz"):
        for rounding in ROUNDINGS:
            found |= _plain(2, *(f"{o}.{rounding}{ftz}.f32" for o in ("add", "sub", "mul")))
            found |= _plain(3, f"fma.{rounding}{ftz}.f32")
        found |= _plain(2, f"add{ftz}.sat.f32", f"mul{ftz}.sat.f32", f"min{ftz}.f32")
        found |= _plain(2, f"max{ftz}.f32", f"min{ftz}.NaN.f32", f"max{ftz}.NaN.f32")
        found |= _plain(3, f"fma.rn{ftz}.sat.f32")
        found |= _plain(1, f"abs{ftz}.f32", f"neg{ftz}.f32")
        found |= _setp("f32", FLOAT_COMPARISONS, ftz)
        found |= _plain(1, f"rcp.rn{ftz}.f32", f"sqrt.rn{ftz}.f32")
        found |= _plain(2, f"div.rn{ftz}.f32")
        for rounding in ("rni", "rzi", "rmi", "rpi"):
            found |= _plain(1, f"cvt.{rounding}{ftz}.f32.f32")
            for target in ("s32", "u32"):
                found |= _plain(1, f"cvt.{rounding}{ftz}.{target}.f32")
    found |= _plain(1, *(f"cvt.{r}.f32.{t}" for r in ROUNDINGS for t in ("s32", "u32")))
    found |= _plain(2, "cvt.rn.f16x2.f32", "cvt.rz.f16x2.f32", "cvt.rn.relu.f16x2.f32")
    found |= _plain(2, "cvt.rn.bf16x2.f32", "cvt.rz.bf16x2.f32", "cvt.rn.relu.bf16x2.f32")
    found |= _plain(1, "cvt.rna.tf32.f32")
    found |= _plain(2, "copysign.f32")
    for small in ("s8", "u8", "s16", "u16"):
        found[f"cvt.rzi.{small}.f32"] = (
            f"{{.reg .b32 t; cvt.rzi.{small}.f32 t, %1; mov.b32 %0, t;}}"
        )
        found[f"cvt.rn.f32.{small}"] = f"cvt.rn.f32.{small} %0, %1;"
    for name in ("slct.f32.f32", "slct.ftz.u32.f32"):
        found[name] = f"{name} %0, %1, %2, %3;"
    return found


def _float64() -> dict[str, str]:
    found: dict[str, str] = {}
    for rounding in ROUNDINGS:
        found |= _plain(2, *(f"{o}.{rounding}.f64" for o in ("add", "sub", "mul")))
        found |= _plain(3, f"fma.{rounding}.f64")
        found |= _plain(1, f"cvt.{rounding}.f64.s64", f"cvt.{rounding}.f64.u64")
    found |= _plain(2, "min.f64", "max.f64", "div.rn.f64", "copysign.f64")
    found |= _plain(1, "abs.f64", "neg.f64", "rcp.rn.f64", "sqrt.rn.f64")
    for rounding in ("rni", "rzi", "rmi", "rpi"):
        names = (f"cvt.{rounding}.{t}.f64" for t in ("s64", "u64", "f64"))
        found |= _plain(1, *names)
    return found


def _narrowing() -> dict[str, str]:
    """Float64 and 64-bit integers to 32 bits."""
    found = _setp("f64", FLOAT_COMPARISONS)
    for rounding in ROUNDINGS:
        found |= _plain(1, f"cvt.{rounding}.f32.f64", f"cvt.{rounding}.f32.s64")
        found |= _plain(1, f"cvt.{rounding}.f32.u64")
    for rounding in ("rni", "rzi", "rmi", "rpi"):
        found |= _plain(1, f"cvt.{rounding}.s32.f64", f"cvt.{rounding}.u32.f64")
    for kind in ("f16", "f32.ftz"):
        if kind == "f16":
            found["cvt.rn.f16.f64"] = "{.reg .b16 h; cvt.rn.f16.f64 h, %1; mov.b32 %0, {h, h};}"
    return found


def _widening() -> dict[str, str]:
    """32 bits to float64 and 64-bit integers."""
    found = _plain(1, "cvt.f64.f32", "cvt.ftz.f64.f32", "cvt.rn.f64.s32", "cvt.rn.f64.u32")
    for ftz in ("", ".ftz"):
        for rounding in ("rni", "rzi", "rmi", "rpi"):
            found |= _plain(1, *(f"cvt.{rounding}{ftz}.{t}.f32" for t in ("s64", "u64")))
    found["cvt.f64.f16"] = "{.reg .b16 h, g; mov.b32 {h, g}, %1; cvt.f64.f16 %0, h;}"
    return found


def _half(kind: str) -> dict[str, str]:
    found = _plain(3, f"fma.rn.{kind}", f"fma.rn.relu.{kind}")
    found |= _plain(2, f"min.{kind}", f"max.{kind}", f"min.NaN.{kind}", f"max.NaN.{kind}")
    found |= _plain(2, f"add.rn.{kind}", f"sub.rn.{kind}", f"mul.rn.{kind}")
    found |= _plain(1, f"neg.{kind}", f"abs.{kind}")
    if kind == "f16x2":
        found |= _plain(3, "fma.rn.sat.f16x2")
        found |= _plain(3, "fma.rn.ftz.f16x2")
        found |= _plain(2, "add.rn.ftz.f16x2", "mul.rn.ftz.f16x2", "min.ftz.f16x2")
        found |= _plain(2, "add.sat.f16x2", "mul.sat.f16x2")
    for c in FLOAT_COMPARISONS:
        found[f"setp.{c}.{kind}"] = (
            f"{{.reg .pred p, q; .reg .b32 s, t; setp.{c}.{kind} p|q, %1, %2; "
            "selp.b32 s, 1, 0, p; selp.b32 t, 2, 0, q; or.b32 %0, s, t;}"
        )
    for c in ("eq", "lt", "geu", "nan"):
        target = "u32" if kind == "bf16x2" else "f16x2"
        name = f"set.{c}.{target}.{kind}"
        if kind == "f16x2":
            found[name] = f"{name} %0, %1, %2;"
    return found | _half_conversions(kind.removesuffix("x2"))


def _half_conversions(kind: str) -> dict[str, str]:
    split = "{.reg .b16 h, g; mov.b32 {h, g}, %1; "
    names = [f"cvt.f32.{kind}"]
    if kind == "f16":
        names += [f"cvt.{r}.{t}.f16" for r in ("rni", "rzi", "rmi", "rpi") for t in ("s32", "u32")]
    found = {name: f"{split}{name} %0, h;}}" for name in names}
    found |= {f"{name} high": f"{split}{name} %0, g;}}" for name in names[:1]}
    if kind == "f16":
        for r in ("rni", "rzi", "rmi", "rpi"):
            name = f"cvt.{r}.f16.f16"
            found[name] = f"{split}{name} h, h; mov.b32 %0, {{h, h}};}}"
        for t in ("s32", "u32", "s16"):
            source = "%1" if t != "s16" else "h"
            found[f"cvt.rn.f16.{t}"] = f"{split}cvt.rn.f16.{t} g, {source}; mov.b32 %0, {{g, g}};}}"
    return found


def _special() -> dict[str, str]:
    found: dict[str, str] = {}
    for ftz in ("", ".ftz"):
        names = ("rcp", "rsqrt", "sqrt", "lg2", "ex2", "sin", "cos")
        found |= _plain(1, *(f"{name}.approx{ftz}.f32" for name in names))
        found |= _plain(2, f"div.approx{ftz}.f32", f"div.full{ftz}.f32")
    return found | _plain(1, "tanh.approx.f32")


FAMILIES = (
    Family("integer32", "int32", "r", "r", _integer32()),
    Family("integer64", "int64", "l", "l", _integer64()),
    Family("compare64", "int64", "l", "r", _compare64()),
    Family("float32", "float32", "r", "r", _float32()),
    Family("float64", "float64", "l", "l", _float64()),
    Family("narrowing", "float64", "l", "r", _narrowing()),
    Family("widening", "float32", "r", "l", _widening()),
    Family("float16", "float16", "r", "r", _half("f16x2")),
    Family("bfloat16", "bfloat16", "r", "r", _half("bf16x2")),
    Family("special", "float32", "r", "r", _special(), bounded=True),
)
