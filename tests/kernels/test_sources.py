"""Does every source pass the CUDA compiler's front end without a word?"""

from __future__ import annotations

import pytest
from cuda.bindings import nvrtc

from kernels import Workload, workloads
from simulator.toolchain.headers import bundled_directory
from simulator.toolchain.nvrtc import NVRTC_WHEEL, wheel_version


def compiler_log(workload: Workload) -> str:
    """What NVRTC says when it turns the source into PTX; AssertionError when it fails."""
    source, name = workload.source.encode(), workload.source_file.encode()
    _, program = nvrtc.nvrtcCreateProgram(source, name, 0, [], [])
    headers = bundled_directory(wheel_version(NVRTC_WHEEL))
    options = [b"--gpu-architecture=compute_89", *(o.encode() for o in workload.options)]
    options.append(f"--use-bundled-headers={headers}".encode())
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    _, size = nvrtc.nvrtcGetProgramLogSize(program)
    log = bytearray(size)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(program)
    text = log.decode().strip("\0 \n")
    assert status == nvrtc.nvrtcResult.NVRTC_SUCCESS, text
    return text


@pytest.mark.parametrize("workload", workloads(), ids=lambda item: item.name)
def test_source_compiles_without_warnings(workload: Workload) -> None:
    assert compiler_log(workload) == ""
