"""What each opcode does: one row an opcode, grouped in modules by instruction family."""

from simulator.emulator.semantics import (  # noqa: F401  (importing a family fills the table)
    compare,
    control,
    convert,
    double,
    floats,
    half,
    integer,
    lanes,
    logic,
    memory,
    moves,
    packed,
    shifts,
    tensor,
)
from simulator.emulator.semantics.table import lookup

__all__ = ["lookup"]
