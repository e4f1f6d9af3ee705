"""What does NVRTC get to see, and what comes back?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from simulator.errors import ArgumentError, CompileError, ToolchainError
from simulator.toolchain import nvrtc, wheels
from simulator.toolchain.cache import CACHE_VARIABLE
from simulator.toolchain.nvrtc import Request, compile_source
from simulator.toolchain.ptxas_log import Resources, read_resources

PLAIN = 'extern "C" __global__ void plain(float* a) { a[threadIdx.x] = 1.f; }\n'
REQUEST = Request(PLAIN, "kernel.cu", 89)


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "cache"
    monkeypatch.setenv(CACHE_VARIABLE, str(directory))
    return directory


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Every request that reaches the compiler."""
    seen: list[Request] = []
    original = nvrtc._compile
    monkeypatch.setattr(nvrtc, "_compile", lambda r: seen.append(r) or original(r))
    return seen


@pytest.mark.usefixtures("fresh_cache")
def test_the_second_compilation_comes_from_the_cache(compilations: list[Request]) -> None:
    first = compile_source(REQUEST)
    assert compile_source(REQUEST) == first
    assert compilations == [REQUEST]


@pytest.mark.usefixtures("fresh_cache")
@pytest.mark.parametrize(
    "change",
    [
        {"source": PLAIN + "\n"},
        {"architecture": 90},
        {"options": ("-DN=4",)},
        {"name": "other.cu"},
        {"expression": "plain"},
    ],
)
def test_whatever_changes_the_result_changes_the_key(
    compilations: list[Request], change: dict[str, object]
) -> None:
    compile_source(REQUEST)
    compile_source(replace(REQUEST, **change))
    assert len(compilations) == 2


@pytest.mark.usefixtures("fresh_cache")
def test_a_changed_header_is_compiled_again(tmp_path: Path, compilations: list[Request]) -> None:
    (tmp_path / "outer.h").write_text('#include "inner.h"\n')
    inner = tmp_path / "inner.h"
    request = Request('#include "outer.h"\n' + PLAIN.replace("1.f", "VALUE"), "kernel.cu", 89)
    request = replace(request, options=(f"-I{tmp_path}",))
    inner.write_text("#define VALUE 1.f\n")
    first = compile_source(request)
    inner.write_text("#define VALUE 2.f\n")
    assert compile_source(request).cubin != first.cubin
    assert len(compilations) == 2


@pytest.mark.usefixtures("fresh_cache")
def test_an_include_by_macro_is_never_cached(tmp_path: Path, compilations: list[Request]) -> None:
    (tmp_path / "value.h").write_text("#define VALUE 1.f\n")
    source = '#define HEADER "value.h"\n#include HEADER\n' + PLAIN.replace("1.f", "VALUE")
    request = Request(source, "kernel.cu", 89, (f"-I{tmp_path}",))
    compile_source(request)
    compile_source(request)
    assert len(compilations) == 2


def test_compilation_works_without_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv(CACHE_VARIABLE, str(blocked))
    source = "#include <cstdint>\n" + PLAIN
    assert compile_source(replace(REQUEST, source=source)).cubin[:4] == b"\x7fELF"


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("__global__ void k(int* a) { a[0] = 1 }", 'expected a ";"'),
        ("int main() { k<<<1, 2>>>(); }", "only device code"),
        ('#include "absent.h"\n', "option -I"),
        (".version 8.0\n.target sm_80\n", "PTX"),
    ],
)
def test_a_refused_source_carries_the_log_and_a_hint(source: str, hint: str) -> None:
    with pytest.raises(CompileError, match=r"kernel\.cu does not compile for sm_89") as caught:
        compile_source(replace(REQUEST, source=source))
    assert hint in str(caught.value)
    assert "error" in caught.value.log


@pytest.mark.parametrize(
    "option", ["-arch=sm_80", "--gpu-architecture=sm_80", "-rdc=true", "-dlto"]
)
def test_options_that_do_not_fit_are_refused(option: str) -> None:
    with pytest.raises(ArgumentError, match=option):
        compile_source(replace(REQUEST, options=(option,)))


def test_an_unknown_architecture_lists_the_known_ones() -> None:
    with pytest.raises(ArgumentError, match=r"sm_75 is not one of sm_80, .*sm_120"):
        compile_source(replace(REQUEST, architecture=75))


@pytest.mark.parametrize(
    "header",
    [
        *("cstdint", "stdint.h", "cmath", "math.h", "climits", "cfloat", "cstdio", "cassert"),
        *("cuda_runtime.h", "device_launch_parameters.h", "cuda_fp16.h", "math_constants.h"),
    ],
)
def test_common_headers_are_there(header: str) -> None:
    body = 'extern "C" __global__ void k(uint64_t* a) { a[0] = INT_MAX + (INFINITY > 1.f); }'
    made = compile_source(replace(REQUEST, source=f"#include <{header}>\n{body}"))
    assert "warning" not in made.log


def test_names_of_cuda_runtime_need_no_include() -> None:
    body = 'extern "C" __global__ void k(uint32_t* a) { a[0] = UINT_MAX + (INFINITY > FLT_MAX); }'
    assert compile_source(replace(REQUEST, source=body)).cubin


def test_resources_are_read_by_entry() -> None:
    source = PLAIN + PLAIN.replace("plain", "other")
    found = read_resources(compile_source(replace(REQUEST, source=source)).log)
    assert set(found) == {"plain", "other"}
    assert found["plain"].registers > 0
    assert found["plain"].spill_store_bytes == 0


def test_spills_of_called_functions_are_added() -> None:
    log = """ptxas info    : Compiling entry function 'k' for 'sm_89'
ptxas info    : Function properties for k
ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Function properties for f
ptxas         .     4 bytes stack frame, 1 bytes spill stores, 2 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers
"""
    assert read_resources(log) == {"k": Resources(24, 16, 9, 14)}


def test_a_missing_wheel_is_named() -> None:
    with pytest.raises(ToolchainError, match="pip install"):
        wheels.wheel_version("smreplay-no-such-wheel")


def test_a_wheel_without_the_program_is_named() -> None:
    with pytest.raises(ToolchainError, match="no program ptxas"):
        wheels.wheel_program(wheels.NVDISASM_WHEEL, "ptxas")


def test_a_library_from_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "wheel_directory", lambda _: Path("/elsewhere"))
    with pytest.raises(ToolchainError, match="not from the wheel"):
        nvrtc._load()


def test_an_old_wheel_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "wheel_version", lambda _: "13.0.88")
    with pytest.raises(ToolchainError, match="too old"):
        nvrtc._load()
