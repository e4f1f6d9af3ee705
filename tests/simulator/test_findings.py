"""Is an access where it must not go found: with kernel, source line, block, thread and address?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simulator.errors import ReplayError
from simulator.results import Finding, Run
from tests.simulator.replaying import each_architecture, line_of, replay, zeros

SOURCE = """
extern "C" __global__ void reads(const int* a, int* out, int shift) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int v = a[t + shift];  // global read
    out[t] = v;
}

extern "C" __global__ void writes(int* out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) out[t] = t;  // global write
}

extern "C" __global__ void adds(int* out, int n) {
    atomicAdd(&out[threadIdx.x * n], 1);  // global atomic
}

extern "C" __global__ void shared(int* out, int shift) {
    __shared__ int s[32];
    int t = threadIdx.x + 8 * threadIdx.y;
    s[t] = t;
    __syncthreads();
    out[t] = s[t + shift];  // shared read
}

extern "C" __global__ void dynamic(int* out, int shift) {
    extern __shared__ int s[];
    s[threadIdx.x + shift] = 3;  // shared write
    out[threadIdx.x] = 1;
}

extern "C" __global__ void local(int* out, int n) {
    int kept[16];
    for (int k = 0; k < 16; ++k) kept[(5 * k + n) & 15] = k;
    out[threadIdx.x] = kept[threadIdx.x * n];  // local read
}

extern "C" __global__ void endless(const int* a, int* out) {
    int k = 0;
    while (a[threadIdx.x + 64] != 3) out[threadIdx.x] = ++k;  // waits for nothing
}

extern "C" __global__ void crooked(const char* a, float* out, int shift) {
    out[threadIdx.x] = *(const float*)(a + 4 * threadIdx.x + shift);  // misaligned
}

extern "C" __global__ void wide(const float* a, float4* out, int shift) {
    out[threadIdx.x] = *(const float4*)(a + 4 * threadIdx.x + shift);  // misaligned float4
}
"""


def check(run: Run, line: str, count: int, block: tuple[int, int, int],
          thread: tuple[int, int, int]) -> Finding:  # fmt: skip
    """The run has one finding, and it is this one."""
    (finding,) = run.findings
    assert finding.kernel == run.kernel
    assert (finding.source_file, finding.source_line) == ("test.cu", line_of(SOURCE, line))
    assert (finding.block, finding.thread, finding.count) == (block, thread, count)
    record = next(i for i in run.instructions if i.pc == finding.pc)
    assert record.source_line == finding.source_line
    return finding


def address_of(position: int) -> int:
    """Device address of the first small buffers: each has two MiB to itself."""
    return 0x7F00_0000_0000 + (position + 1) * (2 << 20)


@each_architecture
def test_read_behind_a_buffer(architecture: int) -> None:
    args = [zeros(128), zeros(128), np.int32(3)]
    run = replay(SOURCE, "reads", args, block=64, grid=2, architecture=architecture)
    finding = check(run, "// global read", 3, (1, 0, 0), (61, 0, 0))
    assert finding.address == address_of(0) + 4 * 128
    assert "4-byte global load" in finding.message
    assert hex(finding.address) in finding.message


@each_architecture
def test_read_before_a_buffer(architecture: int) -> None:
    args = [zeros(64), zeros(64), np.int32(-2)]
    run = replay(SOURCE, "reads", args, block=64, architecture=architecture)
    finding = check(run, "// global read", 2, (0, 0, 0), (0, 0, 0))
    assert finding.address == address_of(0) - 8


@each_architecture
@pytest.mark.parametrize("size", [1, 31, 99])
def test_write_behind_a_buffer_changes_nothing(architecture: int, size: int) -> None:
    args = [zeros(size), np.int32(100)]
    run = replay(SOURCE, "writes", args, block=50, grid=2, architecture=architecture)
    check(run, "// global write", 100 - size, (size // 50, 0, 0), (size % 50, 0, 0))
    assert run.outputs[0].tolist() == list(range(size))


@each_architecture
def test_atomic_behind_a_buffer(architecture: int) -> None:
    run = replay(SOURCE, "adds", [zeros(32), np.int32(2)], architecture=architecture)
    finding = check(run, "// global atomic", 16, (0, 0, 0), (16, 0, 0))
    assert "reduction" in finding.message or "atomic" in finding.message
    assert run.outputs[0].tolist() == [1, 0] * 16


@each_architecture
def test_shared_memory_and_thread_of_two_dimensions(architecture: int) -> None:
    args = [zeros(32), np.int32(3)]
    run = replay(SOURCE, "shared", args, block=(8, 4), architecture=architecture)
    finding = check(run, "// shared read", 3, (0, 0, 0), (5, 3, 0))
    assert "outside the block's shared memory" in finding.message
    assert run.outputs[0][:29].tolist() == list(range(3, 32))


@each_architecture
@pytest.mark.parametrize(("shared_bytes", "bad"), [(128, 0), (124, 1), (0, 32)])
def test_dynamic_shared_memory_has_the_size_of_the_launch(
    architecture: int, shared_bytes: int, bad: int
) -> None:
    run = replay(
        SOURCE, "dynamic", [zeros(32), np.int32(0)], shared_bytes=shared_bytes,
        architecture=architecture,
    )  # fmt: skip
    if bad:
        check(run, "// shared write", bad, (0, 0, 0), (32 - bad, 0, 0))
    else:
        assert run.findings == ()


@each_architecture
def test_local_memory(architecture: int) -> None:
    run = replay(SOURCE, "local", [zeros(32), np.int32(1 << 12)], architecture=architecture)
    finding = check(run, "// local read", 31, (0, 0, 0), (1, 0, 0))
    assert "outside the thread's local memory" in finding.message


@each_architecture
@pytest.mark.parametrize(
    ("kernel", "a", "out", "width", "line"),
    [
        ("crooked", zeros(256, dtype=np.int8), zeros(32, dtype=np.float32), 4, "// misaligned\n"),
        ("wide", zeros(256, dtype=np.float32), zeros(128, dtype=np.float32), 16, "float4\n"),
    ],
)
def test_misaligned(
    architecture: int, kernel: str, a: Any, out: Any, width: int, line: str
) -> None:
    run = replay(SOURCE, kernel, [a, out, np.int32(1)], architecture=architecture)
    (finding,) = run.findings
    assert finding.count == 32
    assert finding.message.startswith(f"misaligned {width}-byte global load")
    assert SOURCE.splitlines()[(finding.source_line or 0) - 1].endswith(line.rstrip())
    fine = replay(SOURCE, kernel, [a, out, np.int32(16)], architecture=architecture)
    assert fine.findings == ()


@each_architecture
def test_kernel_that_a_bad_access_keeps_going_is_stopped(architecture: int) -> None:
    args = [zeros(32), zeros(32)]
    line = line_of(SOURCE, "// waits for nothing")
    with pytest.raises(ReplayError, match=rf"endless: block 0 does not end .* test\.cu:{line}\)"):
        replay(SOURCE, "endless", args, architecture=architecture)
