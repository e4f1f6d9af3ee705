"""What was found out about a kernel's code, kept on disk: its analyses take seconds where unrolled
loops have made it long.

Remembered under the kernel's code, its disassembly and the sources of the analysis.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from simulator.isa.kernel import Kernel
from simulator.jit.sources import digest
from simulator.toolchain.cache import cache_key, read_entry, write_entry

Found = TypeVar("Found")
Others = ParamSpec("Others")
Analysis = Callable[Concatenate[Kernel, Others], Found]
_PART = "analyses"  # of the cache


def remembered(
    encode: Callable[[Found], Any], decode: Callable[[Kernel, Any], Found]
) -> Callable[[Analysis[Others, Found]], Analysis[Others, Found]]:
    """Keep what an analysis of a kernel finds: ``encode`` makes of it what JSON can hold,
    ``decode`` makes it of that again. Its other arguments are told apart by ``repr``."""

    def wrap(analyse: Analysis[Others, Found]) -> Analysis[Others, Found]:
        @wraps(analyse)
        def find(kernel: Kernel, /, *others: Others.args, **named: Others.kwargs) -> Found:
            if not kernel.program_hash:  # put together by hand: nothing to remember it by
                return analyse(kernel, *others, **named)
            key = _key(kernel, analyse, repr((others, named)))
            found = read_entry(_PART, key)
            if found is not None:
                return decode(kernel, json.loads(found))
            made = analyse(kernel, *others, **named)
            write_entry(_PART, key, json.dumps(encode(made)).encode())
            return made

        return find

    return wrap


def _key(kernel: Kernel, analyse: Callable[..., Any], others: str) -> str:
    texts = "\n".join(i.text for i in kernel.instructions)
    sources = digest(analyse.__module__)
    name = analyse.__qualname__
    return cache_key(kernel.program_hash, str(kernel.architecture), texts, name, others, sources)
