"""Is each memory instruction classified, with its width?"""

from __future__ import annotations

import pytest

from simulator.isa.access import memory_access
from simulator.isa.kernel import AccessKind, MemoryAccess, Space

A = AccessKind


@pytest.mark.parametrize(
    ("form", "space", "kind", "width"),
    [
        ("LDS", Space.SHARED, A.LOAD, 4),
        ("LDS.U8", Space.SHARED, A.LOAD, 1),
        ("LDS.S16", Space.SHARED, A.LOAD, 2),
        ("LDS.64", Space.SHARED, A.LOAD, 8),
        ("STS.128", Space.SHARED, A.STORE, 16),
        ("LDG.E", Space.GLOBAL, A.LOAD, 4),
        ("LDG.E.128.CONSTANT", Space.GLOBAL, A.LOAD, 16),
        ("LDG.E.U16", Space.GLOBAL, A.LOAD, 2),
        ("LDG.E.LTC128B.64", Space.GLOBAL, A.LOAD, 8),
        ("STG.E.STRONG.SYS", Space.GLOBAL, A.STORE, 4),
        ("LDL.S8", Space.LOCAL, A.LOAD, 1),
        ("STL.128", Space.LOCAL, A.STORE, 16),
        ("LD.E", Space.GENERIC, A.LOAD, 4),
        ("ST.E.64", Space.GENERIC, A.STORE, 8),
        ("ATOM.E.ADD.STRONG.GPU", Space.GENERIC, A.ATOMIC, 4),
        ("ATOM.E.CAS.64.STRONG.GPU", Space.GENERIC, A.ATOMIC_CAS, 8),
        ("ATOMG.E.EXCH.STRONG.GPU", Space.GLOBAL, A.ATOMIC, 4),
        ("ATOMG.E.ADD.F32x2.RN.STRONG.GPU", Space.GLOBAL, A.ATOMIC, 8),
        ("ATOMS.ADD", Space.SHARED, A.ATOMIC, 4),
        ("ATOMS.CAS.64", Space.SHARED, A.ATOMIC_CAS, 8),
        ("ATOMS.CAST.SPIN.64", Space.SHARED, A.CAST_SPIN, 8),
        ("ATOMS.POPC.INC.32", Space.SHARED, A.POPC_INC, 4),
        ("RED.E.ADD.F64.RN.STRONG.GPU", Space.GLOBAL, A.REDUCTION, 8),
        ("RED.E.ADD.F16x2.RN.STRONG.GPU", Space.GLOBAL, A.REDUCTION, 4),
        ("REDG.E.ADD.F16x8.RN.STRONG.GPU", Space.GLOBAL, A.REDUCTION, 16),
        ("LDGSTS.E.64", Space.GLOBAL, A.ASYNC_COPY, 8),
        ("LDGSTS.E.BYPASS.LTC128B.128.ZFILL", Space.GLOBAL, A.ASYNC_COPY_BYPASS, 16),
    ],
)
def test_access(form: str, space: Space, kind: AccessKind, width: int) -> None:
    opcode, *modifiers = form.split(".")
    assert memory_access(opcode, tuple(modifiers)) == MemoryAccess(space, kind, width)


@pytest.mark.parametrize(
    ("form", "kind", "matrices"),
    [
        ("LDSM.16.M88.4", A.MATRIX_LOAD, 4),
        ("LDSM.16.MT88.2", A.MATRIX_LOAD, 2),
        ("LDSM.16.MT88", A.MATRIX_LOAD, 1),
        ("STSM.16.M88.4", A.MATRIX_STORE, 4),
    ],
)
def test_matrix_access(form: str, kind: AccessKind, matrices: int) -> None:
    opcode, *modifiers = form.split(".")
    expected = MemoryAccess(Space.SHARED, kind, 16, matrices)
    assert memory_access(opcode, tuple(modifiers)) == expected


@pytest.mark.parametrize("opcode", ["LDC", "ULDC", "FFMA", "LDGDEPBAR", "REDUX", "MEMBAR"])
def test_everything_else_is_no_access(opcode: str) -> None:
    assert memory_access(opcode, ()) is None
