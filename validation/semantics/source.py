"""CUDA source of a family: every thread applies every operation to its own operands."""

from __future__ import annotations

from .families import Family

_TYPES = {"r": "unsigned", "l": "unsigned long long"}


def family_source(family: Family) -> str:
    """One kernel; ``out`` is [operation][element]."""
    element, result = _TYPES[family.source], _TYPES[family.target]
    lines = [
        f'extern "C" __global__ void {family.name}(const {element}* a, const {element}* b,',
        f"        const {element}* c, {result}* out, int n) {{",
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;",
        f"    {element} x = a[i], y = b[i], z = c[i];",
        f"    {result} r;",
    ]
    for place, (name, ptx) in enumerate(family.operations.items()):
        used = max(int(d) for d in "123" if f"%{d}" in ptx)
        operands = ", ".join(f'"{family.source}"({v})' for v in ("x", "y", "z")[:used])
        lines += [
            f"    // {name}",
            f'    asm volatile("{ptx}" : "={family.target}"(r) : {operands});',
            f"    out[{place} * n + i] = r;",
        ]
    return "\n".join([*lines, "}", ""])
