"""Does an SM hold as many blocks as ncu says on hardware, and as CUDA's rules say elsewhere?"""

from __future__ import annotations

import json
import lzma
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator as sm
from simulator.device import Device, device_names, load_device
from simulator.errors import ArgumentError
from simulator.occupancy import BlockResources, find_occupancy, resident_blocks
from simulator.results import Status
from validation.cuda_occupancy import ANSWERS, COLUMNS, one_of_each_architecture

H200 = load_device("h200")
DATA = Path(__file__).parents[1] / "data" / "hardware" / "h200_occupancy.json.xz"
CALCULATED = Path(__file__).parents[1] / "data" / "occupancy" / "cuda_13_0.json.xz"
DEVICES = st.sampled_from([load_device(name) for name in device_names()])
SHAPE = ("threads", "registers", "shared_bytes", "barriers")


def measured_launches() -> list[dict[str, Any]]:
    content = json.loads(lzma.decompress(DATA.read_bytes()))
    assert content["gpu"] == "NVIDIA H200"
    return [dict(zip(content["columns"], row, strict=True)) for row in content["rows"]]


def test_launches_of_many_shapes_measured_on_an_h200() -> None:
    launches = measured_launches()
    assert len(launches) > 2000
    for launch in launches:
        shape = BlockResources(*(launch.pop(name) for name in SHAPE))
        share = launch.pop("share_percent")
        found = find_occupancy(H200, shape)
        assert {name: getattr(found, name) for name in launch} == launch, shape
        assert 100 * found.share == pytest.approx(share, abs=0.01)


def test_the_cuda_toolkit_calculates_the_same() -> None:
    """Answers of the toolkit's occupancy header; it gives shared memory all it can get."""
    content = json.loads(lzma.decompress(CALCULATED.read_bytes()))
    assert {row[0] for row in content["rows"]} == {d.name for d in one_of_each_architecture()}
    for row in content["rows"]:
        name, *shape = row[: len(COLUMNS)]
        expected = dict(zip(ANSWERS, row[len(COLUMNS) :], strict=True))
        device = load_device(name)
        if not expected["blocks_per_sm"]:
            with pytest.raises(ArgumentError):
                find_occupancy(device, BlockResources(*shape))
            continue
        found = find_occupancy(device, BlockResources(*shape))
        most = device.max_blocks_per_sm  # ours; the header has no limit where none is counted
        expected["limit_barriers"] = min(expected["limit_barriers"], most)
        assert {name: getattr(found, name) for name in ANSWERS} == expected, row


def count_placed(device: Device, shape: BlockResources, shared_per_sm: int) -> int:
    """Blocks placed one after another, warps one by one on the sub-core with most room."""
    unit = device.register_allocation_unit
    warp_registers = math.ceil(max(shape.registers, 1) * 32 / unit) * unit
    room = [device.registers_per_sm // device.subcores_per_sm] * device.subcores_per_sm
    block_shared = shape.shared_bytes + device.reserved_shared_bytes_per_block
    block_shared = math.ceil(block_shared / 128) * 128
    shared, warps, blocks = shared_per_sm, device.max_warps_per_sm, 0
    while blocks < device.max_blocks_per_sm:
        for _ in range(math.ceil(shape.threads / 32)):
            room[room.index(max(room))] -= warp_registers
            warps -= 1
        shared -= block_shared
        if min(room) < 0 or warps < 0 or shared < 0:
            break
        blocks += 1
    return blocks


@st.composite
def launches(draw: st.DrawFn) -> tuple[Device, BlockResources]:
    """A device and a block that it can launch."""
    device = draw(DEVICES)
    threads = draw(st.integers(1, 1024))
    warps = 4 * math.ceil(threads / 128)
    most = min(255, device.registers_per_sm // (warps * 32) // 8 * 8)
    registers = draw(st.integers(1, most))
    shared = draw(st.integers(0, device.shared_bytes_per_block_optin))
    return device, BlockResources(threads, registers, shared, 1)


@given(launches())
def test_blocks_are_those_that_can_be_placed(launch: tuple[Device, BlockResources]) -> None:
    device, shape = launch
    found = find_occupancy(device, shape)
    assert found.blocks_per_sm == count_placed(device, shape, found.carveout_bytes)
    assert found.carveout_bytes in device.shared_carveout_bytes
    assert found.carveout_bytes + found.l1_bytes == device.l1_bytes


@given(launches())
def test_driver_gives_what_the_most_blocks_need(launch: tuple[Device, BlockResources]) -> None:
    device, shape = launch
    found = find_occupancy(device, shape)
    assert found.blocks_per_sm == count_placed(device, shape, device.shared_bytes_per_sm)


@given(launches())
def test_better_points_are_tight(launch: tuple[Device, BlockResources]) -> None:
    device, shape = launch
    found = find_occupancy(device, shape)
    registers, shared = found.better_registers, found.better_shared_bytes

    def blocks(registers: int, shared: int) -> int:
        return resident_blocks(device, BlockResources(shape.threads, registers, shared, 1))

    if registers is not None:
        fitting = blocks(registers, shape.shared_bytes)
        assert found.better_registers_blocks == fitting > found.blocks_per_sm
        assert blocks(registers + 1, shape.shared_bytes) == found.blocks_per_sm
    else:
        assert blocks(1, shape.shared_bytes) == found.blocks_per_sm
    if shared is not None:
        fitting = blocks(shape.registers, shared)
        assert found.better_shared_blocks == fitting > found.blocks_per_sm
        assert blocks(shape.registers, shared + 1) == found.blocks_per_sm
    else:
        assert blocks(shape.registers, 0) == found.blocks_per_sm


def test_one_register_more_can_cost_a_block() -> None:
    ada = load_device("rtx4090")
    assert find_occupancy(ada, BlockResources(256, 40, 0)).blocks_per_sm == 6
    found = find_occupancy(ada, BlockResources(256, 41, 0))
    assert (found.blocks_per_sm, found.limiters) == (5, ("registers",))
    assert (found.better_registers, found.better_shared_bytes) == (40, None)


def test_only_a_measured_choice_of_the_driver_is_called_exact() -> None:
    shape = BlockResources(256, 32, 4096)
    assert find_occupancy(H200, shape).carveout_status is Status.EXACT
    assert find_occupancy(load_device("rtx4090"), shape).carveout_status is Status.BOUNDED


def test_a_thread_has_sixteen_registers_at_least() -> None:
    source = 'extern "C" __global__ void k(int* a) { *a = 1; }'
    kernel = sm.compile_cuda(source, device="h200")
    assert kernel.registers < 16
    found = sm.replay(kernel, 1, 32, [np.zeros(1, np.int32)], device="h200").occupancy
    assert found is not None
    assert (found.registers_allocated, found.limit_registers) == (16, 128)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (BlockResources(0, 32, 0), "block of 0 threads"),
        (BlockResources(1025, 32, 0), "block of 1025 threads"),
        (BlockResources(1024, 255, 0), "registers"),
        (BlockResources(32, 32, 2**20), "shared"),
    ],
)
def test_blocks_that_no_sm_holds(shape: BlockResources, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        find_occupancy(H200, shape)
