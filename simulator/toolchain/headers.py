"""Headers for NVRTC: its bundled CUDA headers and small stand-ins for host ones.

NVRTC 13.3 and later carry the CUDA headers (fp16, mma, cooperative_groups, cuda/std, cub) and can
unpack them; they do not carry the C and C++ library headers that sources written for nvcc include.
Device code needs only a handful of types, macros and functions of those, given here as text.
"""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

from simulator.toolchain.cache import cache_directory

_BUNDLED = "headers-"
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:([<"])([^>"\n]+)[>"]|(\S.*))', re.MULTILINE)

_MATH_FUNCTIONS = (
    *("abs", "fabs", "sqrt", "cbrt", "exp", "exp2", "log", "log2", "log10", "pow", "fma"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "erf"),
    *("floor", "ceil", "trunc", "round", "rint", "fmod", "fmin", "fmax", "isnan", "isinf"),
)
_CUDA_STD_NAMES = ("cstdint", "cstddef", "limits", "type_traits", "utility")
_EMPTY_NAMES = (
    *("assert.h", "cassert", "math.h", "stddef.h", "stdio.h", "cstdio", "stdlib.h", "cstdlib"),
    *("string.h", "cstring", "time.h", "cuda.h", "cuda_runtime_api.h", "device_functions.h"),
    "device_launch_parameters.h",
)

# nvcc includes cuda_runtime.h, and with it some of the C library, before every source.
IMPLICIT_HEADER = "cuda_runtime.h"
_CUDA_RUNTIME = """#pragma once
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using intptr_t = int64_t;
using uintptr_t = uint64_t;
#define INT_MAX 0x7fffffff
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 0xffffffff
#define FLT_MAX 3.40282346638528859811704183484516925e+38f
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define M_PI 3.14159265358979323846
"""
_CMATH = f"""#pragma once
namespace std {{
{" ".join(f"using ::{name};" for name in _MATH_FUNCTIONS)}
}}
"""
_STDINT = "#pragma once\n#include <cuda/std/cstdint>\n"
_CUDA_STD = """#pragma once
#include <cuda/std/{name}>
namespace std {{ using namespace cuda::std; }}
"""
_EMPTY = "#pragma once\n"

STAND_INS: dict[str, str] = {
    IMPLICIT_HEADER: _CUDA_RUNTIME,
    "cmath": _CMATH,
    "stdint.h": _STDINT,
    "inttypes.h": _STDINT,
    **dict.fromkeys(("climits", "limits.h"), "#pragma once\n#include <cuda/std/climits>\n"),
    **dict.fromkeys(("cfloat", "float.h"), "#pragma once\n#include <cuda/std/cfloat>\n"),
    **{name: _CUDA_STD.format(name=name) for name in _CUDA_STD_NAMES},
    **dict.fromkeys(_EMPTY_NAMES, _EMPTY),
}


def has_includes(source: bytes) -> bool:
    """Whether a source includes anything, so that NVRTC must unpack its own headers."""
    return _INCLUDE.search(source) is not None


def bundled_directory(version: str) -> Path:
    """Where NVRTC unpacks its headers: the cache, or a temporary place when that is read-only.

    NVRTC itself guards the directory with a lock file against processes that start together.
    """
    directory = cache_directory() / f"{_BUNDLED}{version}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except OSError:
        return _temporary_directory(version)


def is_bundled(path: Path) -> bool:
    """Whether a path of a line table lies in a directory that NVRTC unpacked its headers to."""
    return any(part.startswith((_BUNDLED, f"smreplay-{_BUNDLED}")) for part in path.parts)


@cache
def _temporary_directory(version: str) -> Path:
    path = Path(tempfile.mkdtemp(prefix=f"smreplay-{_BUNDLED}{version}-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def user_headers(source: bytes, directories: tuple[Path, ...]) -> dict[Path, bytes] | None:
    """Every file under the user's include directories that a source can reach.

    Conditional compilation is ignored, so this may be more than the compiler reads. None when an
    ``#include`` names a macro: what it reaches is not known without a preprocessor.
    """
    found: dict[Path, bytes] = {}
    pending = [(source, directories)]
    while pending:
        text, places = pending.pop()
        for match in _INCLUDE.finditer(text):
            if match.group(3):
                return None
            path = _find(match.group(2).decode(errors="replace"), places)
            if path is not None and path not in found:
                found[path] = path.read_bytes()
                pending.append((found[path], (path.parent, *directories)))
    return found


def _find(name: str, directories: tuple[Path, ...]) -> Path | None:
    for directory in directories:
        path = directory / name
        if path.is_file():
            return path
    return None
