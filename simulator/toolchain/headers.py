"""Headers for NVRTC: its bundled CUDA headers and small stand-ins for host ones.

NVRTC 13.3 and later carry the CUDA headers (fp16, mma, cooperative_groups, cuda/std, cub) and can
unpack them; they do not carry the C and C++ library headers that sources written for nvcc include.
Device code needs only a handful of types, macros and functions of those, given here as text.
"""

from __future__ import annotations

import re
import tempfile
from functools import cache
from pathlib import Path

from simulator.toolchain.cache import cache_directory

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:([<"])([^>"\n]+)[>"]|(\S.*))', re.MULTILINE)

_STDINT = """#pragma once
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT32_MAX 4294967295u
#define INT64_MAX 9223372036854775807LL
#define INT64_MIN (-9223372036854775807LL - 1)
#define UINT64_MAX 18446744073709551615ULL
"""
_CSTDINT = """#pragma once
#include <stdint.h>
namespace std {
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t;
using ::int32_t; using ::uint32_t; using ::int64_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t;
}
"""
_STDDEF = """#pragma once
#ifndef NULL
#define NULL 0
#endif
"""
_LIMITS = """#pragma once
#define CHAR_BIT 8
#define SHRT_MAX 32767
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807LL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define ULLONG_MAX 18446744073709551615ULL
"""
_FLOAT = """#pragma once
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
"""
_MATH = """#pragma once
#include <math_constants.h>
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
"""
_CUDA_STD = (
    "#pragma once\n#include <cuda/std/{name}>\nnamespace std {{ using namespace cuda::std; }}\n"
)
_EMPTY = "#pragma once\n"

STAND_INS: dict[str, str] = {
    "stdint.h": _STDINT,
    "cstdint": _CSTDINT,
    "inttypes.h": "#pragma once\n#include <stdint.h>\n",
    "stddef.h": _STDDEF,
    "cstddef": _STDDEF,
    "limits.h": _LIMITS,
    "climits": _LIMITS,
    "float.h": _FLOAT,
    "cfloat": _FLOAT,
    "math.h": _MATH,
    "cmath": _MATH,
    **{name: _CUDA_STD.format(name=name) for name in ("limits", "type_traits", "utility")},
    **dict.fromkeys(
        (
            "assert.h",
            "cassert",
            "cuda.h",
            "cuda_runtime.h",
            "cuda_runtime_api.h",
            "device_functions.h",
            "device_launch_parameters.h",
            "stdio.h",
            "cstdio",
            "stdlib.h",
            "cstdlib",
            "string.h",
            "cstring",
            "time.h",
        ),
        _EMPTY,
    ),
}


def stand_ins(source: bytes) -> dict[str, str]:
    """The stand-in headers a source may reach: all of them once it includes anything."""
    return STAND_INS if _INCLUDE.search(source) else {}


@cache
def bundled_directory(version: str) -> Path:
    """Where NVRTC unpacks its headers: the cache, or a temporary place when that is read-only."""
    directory = cache_directory() / f"headers-{version}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except OSError:
        return Path(tempfile.mkdtemp(prefix=f"smreplay-headers-{version}-"))


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
