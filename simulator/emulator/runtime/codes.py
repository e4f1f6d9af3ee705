"""Small integer codes that generated code passes to the runtime."""

from __future__ import annotations

MUFU_CODES = {
    "RCP": 0, "RSQ": 1, "SQRT": 2, "LG2": 3, "EX2": 4, "SIN": 5, "COS": 6, "TANH": 7,
    "RCP64H": 8, "RSQ64H": 9,
}  # fmt: skip

ATOMIC_CODES = {
    "ADD": 0, "MIN": 1, "MAX": 2, "INC": 3, "DEC": 4, "AND": 5, "OR": 6, "XOR": 7, "EXCH": 8,
    "CAS": 9, "POPC": 10, "SPIN": 11,
}  # fmt: skip

PREDICATE_SPIN = 12  # SPIN that tells its success in a predicate (sm_100 and later)

# Types of atomics: width in the name, U unsigned, S signed, F float.
TYPE_CODES = {"U32": 0, "S32": 1, "U64": 2, "S64": 3, "F32": 4, "F64": 5, "F16x2": 6, "BF16x2": 7}

SHUFFLE_CODES = {"IDX": 0, "UP": 1, "DOWN": 2, "BFLY": 3}

# Widths of loads and stores; 1 and 2 bytes come signed and unsigned.
WIDTH_CODES = {"U8": 0, "S8": 1, "U16": 2, "S16": 3, "32": 4, "64": 5, "128": 6}

# Types of a matrix product's factors.
F16, BF16, TF32, S8, U8 = range(5)

# What a parked group of lanes waits for, besides B0..B15 (their index).
WAIT_NOTHING = -1
WAIT_SYNC = 16  # WARPSYNC
WAIT_BLOCK = 17  # a block barrier
