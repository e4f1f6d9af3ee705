"""Where the toolchain wheels are: never a system toolkit, so that versions cannot mix silently."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from simulator.errors import ToolchainError

NVRTC_WHEEL = "nvidia-cuda-nvrtc"
NVDISASM_WHEEL = "nvidia-cuda-nvdisasm"
NVJITLINK_WHEEL = "nvidia-nvjitlink"


@cache
def wheel_version(distribution: str) -> str:
    """Version of an installed wheel.

    Raises:
        ToolchainError: the wheel is not installed in this Python environment.
    """
    # importlib.metadata takes 20 ms to import; a page that only prints help should not pay it.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        raise _missing(distribution) from None


@cache
def wheel_directory(distribution: str) -> Path:
    """The site-packages directory that holds a wheel's files."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import distribution as find

    try:
        return Path(str(find(distribution).locate_file(""))).resolve()
    except PackageNotFoundError:
        raise _missing(distribution) from None


@cache
def wheel_program(distribution: str, program: str) -> Path:
    """Path of an executable that a wheel installs (``.exe`` is tried as well).

    Raises:
        ToolchainError: the wheel or its executable is missing.
    """
    from importlib.metadata import files

    wheel_version(distribution)
    for entry in files(distribution) or ():
        if entry.stem == program and entry.suffix in ("", ".exe"):
            path = Path(str(entry.locate()))
            if path.is_file():
                return path
    raise ToolchainError(
        f"the wheel {distribution} has no program {program}; reinstall it with "
        f"'pip install --force-reinstall {distribution}'"
    )


def _missing(distribution: str) -> ToolchainError:
    return ToolchainError(
        f"the wheel {distribution} is not installed in this Python environment; "
        f"install it with 'pip install \"{distribution}>=13.3,<14\"'"
    )
