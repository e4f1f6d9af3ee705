"""Which kernel of a cubin a name means."""

from __future__ import annotations

import re
from collections.abc import Sequence

from simulator.errors import InputError, UnknownNameError

_ANONYMOUS = "_GLOBAL__N_"


def find_entry(entries: Sequence[str], wanted: str | None, what: str) -> str:
    """The symbol of the kernel that is meant.

    ``wanted`` is a symbol, or a plain or qualified C++ name (``kernel``, ``ns::kernel``) that fits
    exactly one symbol, or None when there is only one kernel.

    Raises:
        UnknownNameError: no kernel has this name.
        InputError: there is no kernel at all, or more than one fits.
    """
    if not entries:
        raise InputError(
            f"{what} has no kernel; a kernel is a __global__ function, and a template must be "
            'named with its arguments (entry="kernel<128>", --entry)'
        )
    if wanted is None:
        return _only(list(entries), f"{what} has several kernels", "name one with entry= (--entry)")
    if wanted in entries:
        return wanted
    fitting = [entry for entry in entries if _fits(wanted, plain_name(entry))]
    if not fitting:
        raise UnknownNameError("kernel entry", wanted, sorted({plain_name(e) for e in entries}))
    return _only(fitting, f"several kernels of {what} are named {wanted}", "use a full symbol")


def _only(candidates: list[str], problem: str, way_out: str) -> str:
    if len(candidates) == 1:
        return candidates[0]
    names = {plain_name(candidate) for candidate in candidates}
    listed = names if len(names) == len(candidates) else candidates
    raise InputError(f"{problem}: {', '.join(sorted(listed))}; {way_out}")


def _fits(wanted: str, name: str) -> bool:
    return name == wanted or name.endswith(f"::{wanted}")


def plain_name(symbol: str) -> str:
    """The qualified name in a mangled symbol, without template arguments and parameters.

    Reads the length-prefixed identifiers of the Itanium C++ ABI's ``<name>`` rule up to the first
    other component; a symbol that is not mangled is returned as it is.
    """
    return _names(symbol)[0]


def shown_name(symbol: str) -> str:
    """A kernel's name for people: ``ns::kernel``, and ``ns::kernel<...>`` of a template."""
    name, rest = _names(symbol)
    return f"{name}<...>" if rest.startswith("I") else name


def _names(symbol: str) -> tuple[str, str]:
    """The qualified name, and what follows it in the symbol."""
    match = re.match(r"_Z(N?)(?:[rVK]*)L?", symbol)
    if match is None:
        return symbol, ""
    position, names = match.end(), []
    while number := re.match(r"L?(\d+)", symbol[position:]):
        start = position + number.end()
        position = start + int(number.group(1))
        names.append(symbol[start:position])
        if not match.group(1):
            break
    found = "::".join(n for n in names if not n.startswith(_ANONYMOUS)) or symbol
    return found, symbol[position:]
