"""The numbers of a GPU that the model of time needs, as its loop takes them.

They are those of its data file; one that it lacks is another GPU's (``lending``) and named in
``borrowed``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from simulator.device import load_device
from simulator.device.lending import LENDER, find_numbers, several, usual_clock
from simulator.device.model import Device
from simulator.device.structure import CODE_LINE_BYTES, LINE_BYTES, WARP_THREADS
from simulator.errors import ArgumentError
from simulator.isa.kernel import Instruction, Kernel
from simulator.timing import opcodes as op
from simulator.timing.channels import Spread
from simulator.timing.crowding import Merging, Slices
from simulator.timing.drift import Drift, apart_of
from simulator.timing.fetching import LINE_INSTRUCTIONS, Fetch
from simulator.timing.placement import Placement
from simulator.timing.trace import Trace

# Which documented throughput (results a cycle an SM) gives the interval of a pipe.
_RATES = {
    op.FMA: "imad_results_per_cycle",  # of one half; a chip with 128 lanes has two
    op.FMA_HEAVY: "imad_results_per_cycle",
    op.ALU: "logic_results_per_cycle",
    op.XU: "mufu_results_per_cycle",
    op.FP64: "fp64_results_per_cycle",
}


@dataclass(frozen=True)
class Parameters:
    """The numbers of one GPU by fact name."""

    device: Device
    values: Mapping[str, float] = field(repr=False)
    borrowed: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> float:
        return self.values[key]

    @property
    def clock_hz(self) -> float:
        """The clock the GPU runs at under load, as far as known.

        Raises:
            ArgumentError: neither a fact of the device nor a what-if gives one.
        """
        clock = self.values.get("clock_hz") or usual_clock(self.values)
        if clock is not None:
            return clock
        raise ArgumentError(
            f"no clock of {self.device.title} is known, so no time can be predicted; give one: "
            "python -m simulator.time --what-if clock_hz=1.8e9"
        )

    @property
    def dram_pace(self) -> float:
        """Cycles of the SMs to one of those in which DRAM's times are given: its clock is its own,
        whatever that of the SMs and L2 is changed to."""
        return self.clock_hz / (usual_clock(self.values) or self.clock_hz)

    @property
    def l2_write_bytes_per_cycle(self) -> float:
        """Bytes that L2 takes a cycle from all SMs."""
        return self["l2_write_bytes_per_second"] / self.clock_hz * self.dram_pace

    @property
    def spread(self) -> Spread:
        """How lines are spread over DRAM."""
        chunk, channel = (int(n) // LINE_BYTES for n in several(self.device, "dram_spread_bytes"))
        parts = int(several(self.device, "dram_refresh_cycles")[2])
        page = int(self["timing_page_bytes"]) // LINE_BYTES
        return Spread(int(self["dram_far_cycles"]), chunk, channel, parts, page)

    @property
    def merging(self) -> Merging:
        """Which reads of SMs are served together."""
        window = self["l2_hit_latency_cycles"] - self["l2_merge_lead_cycles"]
        groups = len(set(several(load_device(LENDER), "sm_part_groups")))
        return Merging(self["l2_merge_requests"], groups, window)

    @property
    def slices(self) -> Slices:
        """The slices of L2."""
        return Slices(
            int(self["l2_slices"]), int(self["l2_slice_groups"]),
            int(self["timing_slice_even_slices"]), self["timing_slice_evenness"],
        )  # fmt: skip

    @property
    def atomic_repeat(self) -> float:
        """Passes of other sectors that a slice does before floats can be added to one again."""
        return self["timing_atomic_float_cycles"] / self["timing_atomic_slice_part_cycles"]

    def skew(self, active_sms: int) -> float:
        """Cycles from the first SM's first block to the last one's."""
        return self["timing_launch_block_cycles"] * active_sms

    def apart(
        self, trace: Trace, request: NDArray[np.int32], placement: Placement
    ) -> NDArray[np.float64]:
        """Cycles that SMs are apart at most at each line (``drift.apart_of``)."""
        resident = min(placement.resident, len(placement.blocks))
        return apart_of(self.drift, trace, request, resident, self.device.subcores_per_sm)

    @property
    def drift(self) -> Drift:
        """How far SMs that share lines drift apart."""
        names = ("timing_drift_start_cycles", "timing_drift_block_cycles", "timing_drift_share")
        return Drift(*(self[name] for name in names))

    @property
    def l2_capacity(self) -> float:
        """Bytes that stay in L2 from launch to launch, as far as known all of it."""
        return self["l2_bytes"] * self._part_of_l2("l2_read_capacity_bytes")

    @property
    def l2_dirty_capacity(self) -> float:
        """Bytes that L2 holds of what was stored and has not gone to DRAM, as far as known as much
        as of anything."""
        key = "l2_dirty_capacity_bytes"
        return self["l2_bytes"] * self._part_of_l2(key) if self._has(key) else self.l2_capacity

    @property
    def l2_unfinished(self) -> float:
        """Bytes of lines that L2 keeps whose sectors were stored in part."""
        return self["l2_unfinished_bytes"] * self["l2_bytes"] / self.device.l2_bytes

    def _has(self, key: str) -> bool:
        return key in self.device.facts

    def _part_of_l2(self, key: str) -> float:
        """What part of L2 a capacity of the device's own is, all if it is not known."""
        return self[key] / self.device.l2_bytes if self._has(key) else 1.0

    @property
    def has_lite(self) -> bool:
        """Whether the FMA pipe has a second half, which cannot multiply integers."""
        return self["fp32_results_per_cycle"] > self["imad_results_per_cycle"]

    def changed(self, **values: float) -> Parameters:
        """The same GPU with other numbers."""
        return replace(self, values={**self.values, **values})

    def interval(self, i: Instruction, pipe: int) -> int:
        """Cycles an instruction takes its pipe of a sub-core."""
        if pipe == op.XU and i.opcode in ("I2F", "F2I", "F2F", "FRND"):
            wide = any(m in ("F64", "S64", "U64") for m in i.modifiers)
            return self._cycles("cvt64_results_per_cycle" if wide else "mufu_results_per_cycle")
        if i.opcode == "IMAD" and i.has("WIDE"):
            return round(self["timing_imad_wide_interval_cycles"])
        if i.opcode == "IMAD" and i.has("HI"):
            return round(self["timing_imad_hi_interval_cycles"])
        if pipe in _RATES:
            return self._cycles(_RATES[pipe])
        if pipe == op.TENSOR:
            short = i.has("1688") and not i.has("TF32")
            return round(self["timing_mma_short_cycles" if short else "timing_mma_cycles"])
        if pipe == op.FMA_LITE:
            return round(self["timing_hfma2_mma_cycles"])
        if pipe == op.UNIFORM:
            return round(self["timing_uniform_interval_cycles"])
        return 1

    def further_passes(self, i: Instruction) -> int:
        """Cycles beyond the first in which no other instruction can be dispatched."""
        has_high_word = i.opcode == "IMAD" and (i.has("WIDE") or i.has("HI"))
        return round(self["timing_imad_second_pass_cycles"]) if has_high_word else 0

    def _cycles(self, key: str) -> int:
        return max(1, round(WARP_THREADS * self.device.subcores_per_sm / self[key]))

    def latency(self, i: Instruction, kind: int) -> int:
        """Cycles to the result: from issue, or from the load/store unit for what goes there."""
        if kind == op.LSU_ONLY:
            return int(self["shfl_latency_cycles"] - self["timing_lsu_entry_cycles"])
        if kind == op.SHARED:
            return int(self[_shared_latency(i)] - self["timing_lsu_entry_cycles"])
        if kind in (op.CONSTANT, op.SPECIAL):
            latency = self[f"timing_{i.opcode.lower()}_latency_cycles"]
            return int(latency - self["timing_lsu_entry_cycles"])
        if kind == op.VARIABLE:
            wide = op.pipe_of(i) == op.FP64
            return int(self["dfma_latency_cycles" if wide else "mufu_latency_cycles"])
        return 0

    def hold_cycles(self, kind: int, registers: int) -> int:
        """Cycles a memory instruction keeps the dispatch port of its sub-core: its operands go
        out one register after another."""
        if kind in (op.BARRIER, op.BARRIER_ARRIVE, op.CONSTANT):
            return int(self["timing_barrier_port_cycles"])
        if kind == op.SPECIAL:
            return int(self["timing_special_port_cycles"])
        if kind not in op.QUEUED:
            return 1
        return max(1, round(self["timing_operand_cycles"] * registers))

    def flow_cycles(self, i: Instruction) -> int:
        """Cycles a control instruction takes beyond its stall count, taken or not."""
        if i.opcode == "BSYNC":
            return int(self["timing_bsync_cycles"])
        return int(self["timing_call_cycles"]) if i.opcode in ("CALL", "RET") else 0

    def release(self, i: Instruction, kind: int) -> int:
        """Cycles until an instruction has read its operands."""
        if kind in (op.SHARED, op.LSU_ONLY):
            store = i.opcode.startswith("ST")
            return int(self["sts_source_release_cycles" if store else "lds_source_release_cycles"])
        if kind == op.ASYNC_COPY:
            return int(self["timing_async_copy_release_cycles"])
        store = kind in (op.STORE, op.ATOMIC)
        return int(self["stg_source_release_cycles" if store else "ldg_source_release_cycles"])

    def first_code(self, cold: bool) -> int:
        """Cycles until a launch has brought its first code to L1.5; 0: it is there."""
        return int(self["timing_code_first_cycles"] - self["timing_code_l15_cycles"]) * cold

    def fetch(self, instructions: int, active_sms: int, cold: bool) -> Fetch:
        """How the code of a kernel comes to the SM."""
        l1_ways, l15_ways = (int(n) for n in several(self.device, "timing_code_ways"))
        port = self["timing_code_port_cycles"] * active_sms / self.device.sm_count
        beyond = self["dram_latency_cycles" if cold else "l2_hit_latency_cycles"]
        return Fetch(
            lines=-(-instructions // LINE_INSTRUCTIONS),
            l0_lines=int(self["timing_code_l0_bytes"]) // CODE_LINE_BYTES,
            l1_sets=int(self["timing_code_l1_bytes"]) // CODE_LINE_BYTES // l1_ways,
            l1_ways=l1_ways,
            l15_sets=int(self["timing_code_l15_bytes"]) // CODE_LINE_BYTES // l15_ways,
            l15_ways=l15_ways,
            launched=int(self["timing_code_launched_bytes"]) // CODE_LINE_BYTES,
            ahead=int(self["timing_code_ahead_lines"]),
            l0=int(self["timing_code_jump_cycles"]),
            l1=int(self["timing_code_l15_cycles"] - self["timing_code_jump_cycles"]),
            l15=int(beyond),
            l15_ahead=int(self["timing_code_l15_ahead_lines"]),
            l15_line=self["timing_code_l2_line_cycles"],
            port=max(self["timing_code_port_alone_cycles"], port),
        )

    def for_code(self, kernel: Kernel) -> Parameters:
        """The numbers while a kernel runs: a chip may lower its clock for matrix products."""
        tensor = any(op.pipe_of(i) == op.TENSOR for i in kernel.instructions)
        if not tensor or not self._has("clock_tensor_hz"):
            return self
        return self.changed(clock_hz=self["clock_tensor_hz"])

    def launch_us(self, active_sms: int) -> float:
        """Microseconds of a lone launch beyond the cycles in which SMs are active."""
        part = active_sms / self.device.sm_count
        return self["timing_launch_us"] + self["timing_launch_all_us"] * part


def _shared_latency(i: Instruction) -> str:
    """The fact that has the latency of an access to shared memory."""
    assert i.access is not None
    if i.access.matrices:
        return f"timing_ldsm{i.access.matrices}_latency_cycles"
    return (
        "timing_lds128_latency_cycles"
        if i.access.width_bytes == 16
        else "timing_lds_latency_cycles"
    )


def load_parameters(name: str) -> Parameters:
    """The numbers of a GPU, those it lacks from others."""
    device = load_device(name)
    return Parameters(device, *find_numbers(device))
