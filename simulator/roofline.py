"""Which part of the machine a launch keeps busy longest: one roof for every level.

A roof turns an amount of work and a rate of the device into the cycles the work takes at least.
Work inside the SMs takes what the fullest SM needs: blocks go to SMs whole. The longest one
binds: no schedule ends sooner, and none computes faster than the launch's operations in that time.
Latencies are not in here; a kernel with too few warps stays below every roof.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from simulator.device import Device, Fact, Label, load_device
from simulator.instruction_mix import (
    FP16_FLOPS,
    FP32_FLOPS,
    FP64_FLOPS,
    count_all,
    instruction_form,
    run_status,
)
from simulator.intensity import find_intensity
from simulator.isa.access import memory_access
from simulator.results import InstructionRecord, Intensity, Roof, Roofline, Run, Status

LANES = 32


def find_roofline(run: Run) -> Roofline:
    """The roofs of a run on its device.

    Raises:
        UnknownNameError: the run's device has no data file here.
    """
    device = load_device(run.device)
    intensity = run.intensity or find_intensity(run)
    clock = _number(device, "clock_boost_hz")
    rate = _number(device, "fp32_results_per_cycle")
    peak = 2 * (rate or 0) * device.sm_count
    roofs = (*_sm_roofs(run, device, intensity), *_gpu_roofs(device, intensity, clock))
    return Roofline(roofs, intensity.flops.total, peak, clock)


def fullest_share(run: Run, device: Device) -> float:
    """The part of the launch that the fullest SM gets."""
    blocks = math.prod(run.grid)
    return math.ceil(blocks / device.sm_count) / blocks


def _sm_roofs(run: Run, device: Device, intensity: Intensity) -> Iterator[Roof]:
    status = run_status(run)
    share = fullest_share(run, device)

    def roof(name: str, amount: float | None, unit: str, fact: Fact | None, scale: float) -> Roof:
        return _roof(name, amount, unit, fact, scale, share, status)

    issue = device.facts.get("issue_width_per_subcore")
    yield roof("issue", count_all(run).executed, "instructions", issue, device.subcores_per_sm)
    flops = intensity.flops
    for name, used, opcodes, key in (
        ("FP32", True, FP32_FLOPS, "fp32_results_per_cycle"),
        ("FP64", flops.fp64, FP64_FLOPS, "fp64_results_per_cycle"),
        ("FP16", flops.fp16, FP16_FLOPS, "fp16_results_per_cycle"),
    ):
        if used:
            yield roof(name, _results(run, opcodes), "results", device.facts.get(key), 1)
    requests = sum(r.executed for r in run.instructions if _is_memory(r))
    yield _inverse(
        roof("LSU", requests, "instructions", device.facts.get("lsu_cycles_per_instruction"), 1),
        share,
    )
    banks = device.facts["shared_bank_bytes"]
    shared = intensity.level("shared").bytes
    yield roof("shared", shared, "bytes", banks, device.shared_banks)
    level = intensity.level("L1")
    yield _roof("L1", level.bytes, "bytes", _fastest_l1(device), 1, share, level.status)


def _gpu_roofs(device: Device, intensity: Intensity, clock: float | None) -> Iterator[Roof]:
    for name, per_cycle, per_second in (
        ("L2", ("l2_read_bytes_per_cycle",), ("l2_read_bytes_per_second",)),
        ("DRAM", (), ("dram_read_bytes_per_second", "dram_bytes_per_second")),
    ):
        level = intensity.level(name)
        fact, scale = _first(device, per_cycle), 1.0
        if fact is None and clock:
            fact, scale = _first(device, per_second), 1 / clock
        yield _roof(name, level.bytes, "bytes", fact, scale, 1.0, level.status)


def _roof(
    name: str,
    amount: float | None,
    unit: str,
    fact: Fact | None,
    scale: float,
    share: float,
    status: Status,
) -> Roof:
    if fact is None or amount is None:
        unknown = Status.UNMODELLED
        return Roof(name, amount, unit, None, None, unknown, "not known" if fact is None else "")
    assert not isinstance(fact.value, tuple)  # rates are single numbers
    rate = fact.value * scale
    return Roof(name, amount, unit, rate, amount * share / rate, status, describe_origin(fact))


def _inverse(roof: Roof, share: float) -> Roof:
    """The roof of a fact that gives cycles for each piece of work instead of work a cycle."""
    if roof.rate is None or roof.amount is None:
        return roof
    rate = 1 / roof.rate
    cycles = roof.amount * share / rate
    return Roof(roof.name, roof.amount, roof.unit, rate, cycles, roof.status, roof.origin)


def describe_origin(fact: Fact) -> str:
    """``documented``, or the chip it was measured on."""
    if fact.label is Label.DOCUMENTED or fact.on is None:
        return fact.label.value
    chip = fact.on.split("(")[0].replace("NVIDIA", "").replace("GeForce", "").strip()
    return f"on {chip}"


def _results(run: Run, opcodes: dict[str, int]) -> int:
    """Results of the lanes of all warps; packed opcodes, which end in 2, give two each."""
    forms = ((instruction_form(record)[0], record.executed) for record in run.instructions)
    return LANES * sum(n * (1 + opcode.endswith("2")) for opcode, n in forms if opcode in opcodes)


def _is_memory(record: InstructionRecord) -> bool:
    return memory_access(*instruction_form(record)) is not None


def _number(device: Device, key: str) -> float | None:
    fact = device.facts.get(key)
    return None if fact is None or isinstance(fact.value, tuple) else fact.value


def _first(device: Device, keys: tuple[str, ...]) -> Fact | None:
    return next((device.facts[key] for key in keys if key in device.facts), None)


def _fastest_l1(device: Device) -> Fact | None:
    keys = ("l1_load32_bytes_per_cycle", "l1_load128_bytes_per_cycle")
    known = [device.facts[key] for key in keys if key in device.facts]
    return max(known, key=lambda fact: fact.value, default=None)
