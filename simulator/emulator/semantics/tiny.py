"""Which products .FTZ flushes at the edge of the denormals.

A result counts as tiny when its value, rounded as if exponents had no end, lies below 2**-126. A
float32 that was rounded up to 2**-126 over the denormals' wider spacing is therefore zero unless
the value is so near that the finer rounding reaches 2**-126, too. Measured on an NVIDIA H200.

Only products and fused sums can get there. The check is a function of the generated module that
returns at once when no lane holds 2**-126.
"""

from __future__ import annotations

import struct

from simulator.emulator.emitter import VECTOR, Emitter
from simulator.emulator.semantics.rounding import DIRECTIONS

_LEAST = 0x00800000  # 2**-126
_NEAREST = 2.0**-126 * (1 - 2.0**-25)  # to nearest even, values below this are tiny
_AWAY = 2.0**-126 * (1 - 2.0**-24)  # away from zero, values up to this


def flush_edge(e: Emitter, direction: int | None, factors: list[str], addend: str, r: str) -> str:
    """``r`` = a * b + c as float32, with tiny values that became 2**-126 as zeros."""
    if direction == DIRECTIONS["RZ"]:
        return r  # toward zero nothing becomes larger
    name = f"flush_edge_{'v' if e.vector else 's'}_{'near' if direction is None else 'away'}"
    e.intrinsics |= {_definition(e, name, direction is None), *_declarations(e)}
    arguments = ", ".join(f"{e.f32} {v}" for v in (*factors, addend, r))
    return e.temp(f"call {e.f32} @{name}({arguments})")


def _declarations(e: Emitter) -> set[str]:
    suffix = f"v{VECTOR}f64" if e.vector else "f64"
    return {f"declare {e.f64} @llvm.fabs.{suffix}({e.f64})"}


def _definition(e: Emitter, name: str, nearest: bool) -> str:
    """The function: an early return, else the exact value as a float64 sum and its error."""
    f32, f64, i32, i1 = e.f32, e.f64, e.i32, e.i1
    suffix = f"v{VECTOR}f64" if e.vector else "f64"
    limit = _double(e, _NEAREST if nearest else _AWAY)
    none = f"bitcast {i1} %edge to i{VECTOR}" if e.vector else "zext i1 %edge to i8"
    return f"""
define internal {f32} @{name}({f32} %a, {f32} %b, {f32} %c, {f32} %r) noinline {{
  %bits = bitcast {f32} %r to {i32}
  %magnitude = and {i32} %bits, {e.constant(0x7FFFFFFF)}
  %edge = icmp eq {i32} %magnitude, {e.constant(_LEAST)}
  %mask = {none}
  %none = icmp eq i8 %mask, 0
  br i1 %none, label %done, label %look
done:
  ret {f32} %r
look:
  %x = fpext {f32} %a to {f64}
  %y = fpext {f32} %b to {f64}
  %z = fpext {f32} %c to {f64}
  %p = fmul {f64} %x, %y
  %t = fadd {f64} %p, %z
  %v = fsub {f64} %t, %p
  %tv = fsub {f64} %t, %v
  %e1 = fsub {f64} %p, %tv
  %e2 = fsub {f64} %z, %v
  %error = fadd {f64} %e1, %e2
  %inward = fmul {f64} %t, %error
  %size = call {f64} @llvm.fabs.{suffix}({f64} %t)
  %below = fcmp olt {f64} %size, {limit}
  %at = fcmp oeq {f64} %size, {limit}
  %less = fcmp {"olt" if nearest else "ole"} {f64} %inward, {e.constant(0, "i64")}
  %under = and {i1} %at, %less
  %tiny = or {i1} %below, %under
  %flushed = and {i1} %tiny, %edge
  %sign = and {i32} %bits, {e.constant(1 << 31)}
  %chosen = select {i1} %flushed, {i32} %sign, {i32} %bits
  %result = bitcast {i32} %chosen to {f32}
  ret {f32} %result
}}
""".replace(f"{f64} %inward, 0\n", f"{f64} %inward, 0.0\n")


def _double(e: Emitter, value: float) -> str:
    bits = f"0x{int.from_bytes(struct.pack('<d', value), 'little'):016X}"
    return f"splat (double {bits})" if e.vector else bits
