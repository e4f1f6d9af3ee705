"""Every error the simulator raises on purpose.

::

    SimulatorError
    ├── InputError               something the caller gave cannot be used
    │   ├── ArgumentError        a kernel argument, size or launch dimension
    │   ├── UnknownNameError     a kernel, device, entry or option that does not exist
    │   ├── PatternError         an address expression
    │   ├── StorageError         a file of a run that cannot be written or read
    │   └── DeviceDataError      a device file that cannot be used
    ├── CompileError             NVRTC refused the source; carries its log
    ├── CubinError               a cubin that cannot be read
    ├── ToolchainError           a toolchain wheel is missing or broken
    ├── UnsupportedError         machine code the emulator does not implement; names the form
    └── ReplayError              the replay cannot go on (deadlock, runaway kernel)

A message says what is wrong, names the thing, and ends with what to do next.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class SimulatorError(Exception):
    """Root of all errors raised on purpose; command-line pages turn it into exit code 2."""


class InputError(SimulatorError):
    """Something the caller gave cannot be used."""


class ArgumentError(InputError):
    """A kernel argument, problem size or launch dimension cannot be used."""


class UnknownNameError(InputError):
    """A name that does not exist; lists the ones that do."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = get_close_matches(name, names, n=3)
        hint = f"did you mean {', '.join(close)}?" if close else f"known: {', '.join(names)}"
        super().__init__(f"unknown {kind} {name!r}; {hint}")
        self.kind = kind
        self.name = name


class PatternError(InputError):
    """An address expression that cannot be evaluated."""


class StorageError(InputError):
    """A run that cannot be written or read; names the file."""


class DeviceDataError(InputError):
    """A device file that cannot be used; names the file and the fact."""


class CompileError(SimulatorError):
    """NVRTC refused the source."""

    def __init__(self, message: str, log: str) -> None:
        super().__init__(f"{message}\n{log.strip()}")
        self.log = log


class CubinError(SimulatorError):
    """A cubin that cannot be read."""


class ToolchainError(SimulatorError):
    """A toolchain wheel is missing or broken."""


class UnsupportedError(SimulatorError):
    """Machine code the emulator does not implement.

    ``form`` is the opcode with its modifiers, ``address`` its byte offset in the kernel.
    """

    def __init__(self, form: str, address: int, where: str, detail: str = "") -> None:
        reason = f" ({detail})" if detail else ""
        super().__init__(
            f"machine instruction {form!r} at {address:#06x} ({where}) is not implemented{reason}; "
            "please report it with the kernel's source"
        )
        self.form = form
        self.address = address


class ReplayError(SimulatorError):
    """The replay cannot go on: a deadlock or a kernel that does not end."""
