"""Numbers of a run that claims are about."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.instruction_mix import count_flops, instruction_form
from simulator.intensity import WAVEFRONT_BYTES, thread_bytes
from simulator.results import InstructionRecord, Run
from simulator.shared_report import source_text

ELEMENT_BYTES = 4
_FMA_FLOPS = 2


def shared_loads(run: Run, named: str = "") -> Iterator[InstructionRecord]:
    """LDS instructions; with ``named`` only those of source lines that hold that text."""
    for record in run.instructions:
        if instruction_form(record)[0] != "LDS" or not record.shared_requests:
            continue
        if named in source_text(run, record.source_file, record.source_line):
            yield record


def flop_per_byte_thread(run: Run) -> float:
    """FLOP per byte that shared loads return to each active lane: as the source is written."""
    return count_flops(run).total / max(1, thread_bytes(run))


def flop_per_byte_warp(run: Run) -> float:
    """FLOP per byte of shared bandwidth that loads take: 128 bytes a wavefront, as it runs."""
    wavefronts = sum(record.shared_wavefronts_hardware for record in shared_loads(run))
    return count_flops(run).total / max(1, WAVEFRONT_BYTES * wavefronts)


def reads_per_fma_thread(run: Run) -> float:
    """Elements that shared loads return to a lane for each of its multiply-adds."""
    return thread_bytes(run) / ELEMENT_BYTES / max(1, count_flops(run).total / _FMA_FLOPS)


def wavefronts_per_fma_warp(run: Run) -> float:
    """Wavefronts of shared loads for each multiply-add of a warp (32 lanes)."""
    wavefronts = sum(record.shared_wavefronts_hardware for record in shared_loads(run))
    return wavefronts / max(1, count_flops(run).total / _FMA_FLOPS / 32)


def conflicts(run: Run, named: str = "") -> int:
    """Bank conflicts of shared loads; with ``named`` of source lines that hold that text."""
    return sum(record.bank_conflicts for record in shared_loads(run, named))


def ways(run: Run, named: str = "") -> float:
    """The n of the n-way conflict of those loads together; 1 without conflicts."""
    wavefronts = sum(record.shared_wavefronts_hardware for record in shared_loads(run, named))
    free = wavefronts - conflicts(run, named)
    return wavefronts / free if free else 1.0


def stored_elements(run: Run) -> int:
    """Lanes that stored to global memory, 4 bytes each: elements of the result written."""
    stores = (r for r in run.instructions if instruction_form(r)[0] == "STG")
    return sum(r.thread_executed_predicated_on for r in stores)


def idle_lane_instructions(run: Run) -> int:
    """Warp instructions that run with some lanes off (a guard that fails is not counted)."""
    return sum(r.executed for r in run.instructions if r.thread_executed < 32 * r.executed)


def computed_while_loading(run: Run) -> int | None:
    """Multiply-adds that stand between a loop's global loads and the stores to shared memory that
    wait for them; None without such a loop.

    The loop's loads are those executed most. Its code is read twice, so that a load may stand at
    its end and the store at its start.
    """
    forms = [(instruction_form(record)[0], record) for record in run.instructions]
    most = max((r.executed for form, r in forms if form == "LDG"), default=0)
    body = [form for form, r in forms if r.executed and 2 * r.executed > most]
    waiting, between, found = False, 0, []
    for form in (*body, *body):
        if form == "LDG":
            waiting, between = True, 0
        elif form == "STS" and waiting:
            found.append(between)
            waiting = False
        elif form == "FFMA":
            between += 1
    return max(found, default=None)


def load_lanes(run: Run) -> float:
    """Active lanes of a global load on average, 0 to 32."""
    loads = [r for r in run.instructions if instruction_form(r)[0] == "LDG" and r.executed]
    executed = sum(r.executed for r in loads)
    return sum(r.thread_executed_predicated_on for r in loads) / executed if executed else 0.0


def barriers_per_block(run: Run) -> float:
    """Barriers a warp goes through."""
    barriers = sum(r.executed for r in run.instructions if instruction_form(r)[0] == "BAR")
    warps = run.counters["warps_launched"].value
    return barriers / warps if warps else 0.0
