"""Tables whose rows are as long as the code says, for the machine code that reads them.

Numba keeps the shape of every array in variables, multiplies by them at every access and looks
whether an index counts from the end. For the tables of the SM's loop both are known: told so,
LLVM computes addresses with constants and leaves the question out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from llvmlite import ir

from simulator.jit import intrinsic
from simulator.memory.caches.l1 import COUNTS
from simulator.timing.lower import COLUMNS
from simulator.timing.requests import COST, REQUEST
from simulator.timing.stalls import REASONS
from simulator.timing.state import (
    BOARDS,
    GROUP_PLACES,
    PLACES,
    QUEUE,
    QUEUE_PLACES,
    SLOT,
    SPECIAL_GATE,
    STEP_WORDS,
    SUBCORES,
)

Tables = TypeVar("Tables")
_WORD = ir.IntType(64)

# Axes of tables but the first, for ``with_lengths``.
SM_ROWS = {
    "slots": (SLOT,),
    "constants": (),
    "wake": (PLACES,),
    "gate": (PLACES,),
    "stalled": (),
    "line": (PLACES,),
    "pending": (BOARDS,),
    "done": (BOARDS,),
    "groups": (GROUP_PLACES,),
    "is_long": (BOARDS,),
    "pipes": (SPECIAL_GATE + 1,),
    "banks": (2,),
    "operands": (),
    "wakes": (),
    "last": (),
    "dispatch": (),
    "queue": (QUEUE_PLACES, 4),
    "queued": (QUEUE,),
    "heads": (SUBCORES,),
    "arrived": (16,),
    "clock": (),
    "flows": (),
    "l1": (),
    "l1_counts": (COUNTS,),
    "l1_ready": (4,),
    "l2_ready": (4,),
    "l2_used": (),
    "pages": (),
    "dirty": (),
    "stalls": (REASONS,),
    "pipe_cycles": (),
}
STREAM_ROWS = {
    "code": (COLUMNS,),
    "bounds": (2,),
    "steps": (STEP_WORDS,),
    "requests": (REQUEST,),
    "costs": (COST,),
    "line": (),
    "bits": (),
    "distance": (),
    "far": (),
    "page": (),
    "part": (),
    "uneven": (),
    "crowd": (),
    "merged": (),
    "users": (),
    "times": (),
    "share": (),
}


def with_lengths(lengths: Mapping[str, tuple[int, ...]]) -> Callable[[Tables], Tables]:
    """A function for compiled code: a named tuple of C-ordered arrays, the same but for what is
    known of their shapes.

    ``lengths`` has the axes of some arrays but the first. The first is taken to be 0 long, which
    nothing there may ask for, and no index may be negative.
    """

    def same(_typing: Any, tables: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = arguments[0]
            for place, name in enumerate(tables.fields):
                if name in lengths:
                    old = builder.extract_value(whole, place)
                    new = _known(context, builder, tables[place], old, lengths[name])
                    whole = builder.insert_value(whole, new, place)
            return whole

        return tables(tables), generate

    made: Callable[[Tables], Tables] = intrinsic(same)
    return made


def _known(context: Any, builder: Any, kind: Any, value: Any, axes: tuple[int, ...]) -> Any:
    """An array's descriptor with constants for its shape and strides."""
    assert kind.layout == "C"
    assert kind.ndim == len(axes) + 1
    array = context.make_array(kind)(context, builder, value)
    strides = [context.get_abi_sizeof(context.get_data_type(kind.dtype))]
    for length in reversed(axes):
        strides.insert(0, strides[0] * length)
    array.shape = _constants((0, *axes))
    array.strides = _constants(strides)
    return array._getvalue()


def _constants(values: Any) -> Any:
    return ir.Constant(ir.ArrayType(_WORD, len(values)), list(values))
