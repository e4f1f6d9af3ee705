"""NVRTC as a function: CUDA C++ text in, cubin and log out, cached by content."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from simulator.errors import ArgumentError, CompileError, ToolchainError
from simulator.toolchain import headers
from simulator.toolchain.cache import cache_key, read_entry, write_entry
from simulator.toolchain.wheels import NVRTC_WHEEL, wheel_directory, wheel_version

ARCHITECTURES = (80, 86, 89, 90, 100, 120)
OLDEST_VERSION = (13, 3)  # 13.0 makes other machine code, and has no bundled headers
_OWN_OPTIONS = ("-arch", "--gpu-architecture", "-gencode", "--use-bundled-headers")
_CODELESS_OPTIONS = (
    *("-dlto", "--dlink-time-opt", "-dc", "--device-c", "-rdc=true", "-ptx", "--ptx"),
    "--relocatable-device-code=true",
)
_LENGTH_BYTES = 4


@dataclass(frozen=True, slots=True)
class Compilation:
    """What NVRTC made: the cubin, its log (with ptxas' resource lines), the entry's real name.

    ``lowered`` is the mangled name of the name expression asked for, None without one.
    """

    cubin: bytes = field(repr=False)
    log: str
    version: str
    lowered: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """What NVRTC is asked: the cache key covers every field."""

    source: str = field(repr=False)
    name: str
    architecture: int
    options: tuple[str, ...] = ()
    expression: str | None = None
    directory: Path | None = None  # of the source file, searched for #include "..."


def compile_source(request: Request) -> Compilation:
    """Compile CUDA C++ device code to a cubin for a real architecture.

    Raises:
        CompileError: the source does not compile; carries NVRTC's log.
        ArgumentError: an option that this function sets itself, or an unknown architecture.
        ToolchainError: the NVRTC wheel is missing, too old, or not the library that got loaded.
    """
    _check(request)
    key = _key(request)
    stored = read_entry("cubin", key) if key else None
    if stored is not None:
        return _unpack(stored)
    made = _compile(request)
    if key:
        write_entry("cubin", key, _pack(made))
    return made


def include_directories(request: Request) -> tuple[Path, ...]:
    """Directories of the user's headers: the source's own, then those of ``-I`` options."""
    own = [request.directory] if request.directory else []
    return tuple(own + [Path(text) for text in _include_options(request.options)])


def _include_options(options: Sequence[str]) -> list[str]:
    found = []
    for position, option in enumerate(options):
        for prefix in ("-I=", "-I", "--include-path="):
            if option.startswith(prefix):
                rest = option[len(prefix) :].strip()
                found.append(rest or "".join(options[position + 1 : position + 2]))
                break
    return found


def _check(request: Request) -> None:
    for option in request.options:
        if option.startswith(_OWN_OPTIONS):
            raise ArgumentError(
                f"compiler option {option!r} is set by the simulator; drop it and choose the "
                "architecture with the device"
            )
        if option in _CODELESS_OPTIONS:
            raise ArgumentError(
                f"compiler option {option!r} ends in no runnable machine code; drop it"
            )
    if request.architecture not in ARCHITECTURES:
        known = ", ".join(f"sm_{number}" for number in ARCHITECTURES)
        raise ArgumentError(f"architecture sm_{request.architecture} is not one of {known}")


def _key(request: Request) -> str | None:
    """The cache key; None when what the compiler reads cannot be told beforehand."""
    source = request.source.encode()
    reached = headers.user_headers(source, include_directories(request))
    if reached is None or any("-include" in option for option in request.options):
        return None
    return cache_key(
        wheel_version(NVRTC_WHEEL),
        str(request.architecture),
        request.name,
        request.expression or "",
        json.dumps(request.options),
        json.dumps(headers.STAND_INS),
        source,
        *(part for path, data in sorted(reached.items()) for part in (str(path), data)),
    )


def _pack(made: Compilation) -> bytes:
    values = asdict(made)
    cubin: bytes = values.pop("cubin")
    text = json.dumps(values).encode()
    return len(text).to_bytes(_LENGTH_BYTES, "little") + text + cubin


def _unpack(data: bytes) -> Compilation:
    end = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    return Compilation(cubin=data[end:], **json.loads(data[_LENGTH_BYTES:end]))


def _all_options(request: Request) -> list[str]:
    options = [f"--gpu-architecture=sm_{request.architecture}", "-lineinfo"]
    options.append("--ptxas-options=-v")
    # 47: a macro defined again, which headers and sources do to those of the implicit header.
    options += [f"--pre-include={headers.IMPLICIT_HEADER}", "--diag-suppress=47"]
    if headers.has_includes(request.source.encode()):
        directory = headers.bundled_directory(wheel_version(NVRTC_WHEEL))
        options.append(f"--use-bundled-headers={directory}")
    if request.directory:
        options.append(f"-I{request.directory}")
    return options + list(request.options)


def _compile(request: Request) -> Compilation:
    nvrtc = _load()
    source = request.source.encode()
    extra = headers.STAND_INS
    program = _call(
        nvrtc,
        nvrtc.nvrtcCreateProgram(
            source,
            request.name.encode(),
            len(extra),
            [text.encode() for text in extra.values()],
            [name.encode() for name in extra],
        ),
    )
    try:
        return _run(nvrtc, program, request)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def _run(nvrtc: Any, program: Any, request: Request) -> Compilation:
    expression = request.expression.encode() if request.expression else None
    if expression:
        _call(nvrtc, nvrtc.nvrtcAddNameExpression(program, expression))
    options = [option.encode() for option in _all_options(request)]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    log = _read(nvrtc, program, nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog)
    text = log.rstrip(b"\0").decode(errors="replace")
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise CompileError(_failure(request, status.name, text), text)
    lowered = None
    if expression:
        lowered = _call(nvrtc, nvrtc.nvrtcGetLoweredName(program, expression)).decode()
    cubin = _read(nvrtc, program, nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN)
    return Compilation(cubin, text, f"NVRTC {wheel_version(NVRTC_WHEEL)}", lowered)


def _read(nvrtc: Any, program: Any, size_of: Any, read: Any) -> bytes:
    buffer = bytearray(_call(nvrtc, size_of(program)))
    _call(nvrtc, read(program, buffer))
    return bytes(buffer)


def _call(nvrtc: Any, result: tuple[Any, ...]) -> Any:
    status, *values = result
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise ToolchainError(
            f"NVRTC {wheel_version(NVRTC_WHEEL)} failed with {status.name}; "
            f"reinstall it with 'pip install --force-reinstall {NVRTC_WHEEL}'"
        )
    return values[0] if values else None


def _failure(request: Request, status: str, log: str) -> str:
    message = f"{request.name} does not compile for sm_{request.architecture} ({status})"
    hint = _hint(request, log)
    return f"{message}; {hint}" if hint else message


def _hint(request: Request, log: str) -> str:
    """What to do about the commonest failures."""
    if _looks_like_host_code(request.source):
        return (
            "only device code compiles here: keep the __global__ and __device__ functions and "
            "leave out main, <<<...>>> launches and calls of the CUDA runtime"
        )
    if "cannot open source file" in log:
        return "give the header's directory with the option -I, or leave the #include out"
    if "__nv_name_map" in log:
        return (
            f"the entry {request.expression} is no kernel of this source: write its full name "
            "with template arguments, as in ns::kernel<128, float>"
        )
    if ".version" in request.source and ".target" in request.source:
        return "it looks like PTX text; give it as a .ptx file, or to compile_ptx"
    return ""


def _looks_like_host_code(source: str) -> bool:
    signs = ("<<<", "cudaMalloc", "cudaMemcpy", "int main(", "std::vector", "std::cout", "torch::")
    return any(sign in source for sign in signs)


def _load() -> Any:
    """The NVRTC bindings, after a check that the library comes from the wheel."""
    version = wheel_version(NVRTC_WHEEL)
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_VERSION:
        raise ToolchainError(
            f"{NVRTC_WHEEL} {version} is too old; install it with "
            f"'pip install \"{NVRTC_WHEEL}>=13.3,<14\"'"
        )
    from cuda.bindings import nvrtc
    from cuda.pathfinder import load_nvidia_dynamic_lib

    path = Path(str(load_nvidia_dynamic_lib("nvrtc").abs_path)).resolve()
    if not path.is_relative_to(wheel_directory(NVRTC_WHEEL)):
        raise ToolchainError(
            f"NVRTC was loaded from {path}, not from the wheel {NVRTC_WHEEL} {version}; "
            "start Python without that library on its search path"
        )
    return nvrtc
