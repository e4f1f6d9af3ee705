"""Replays that claims are judged by: each made once, with the command that repeats it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from kernels import load_workload
from simulator.isa.kernel import Kernel
from simulator.launching import open_catalogue, replay_target
from simulator.results import Run, Timing
from simulator.timing.gap import find_gap

ARTICLE_ONE_GPU = "rtx4090"
ARTICLE_TWO_GPU = "a100_40"  # an sm_80
Key = tuple[str, int | None, str, str, bool, bool]


def say_nothing(_: str) -> None:
    """Where nobody wants to hear what is being replayed."""


@dataclass
class Evidence:
    """Replays by kernel, size and GPU; ``on_replay`` hears of each before it begins."""

    on_replay: Callable[[str], None] = say_nothing
    _runs: dict[Key, Run] = field(default_factory=dict)

    def replay(
        self,
        kernel: str,
        size: int | None = None,
        device: str = ARTICLE_ONE_GPU,
        blocks: str = "auto",
        caches: bool = False,
        time: bool = False,
    ) -> Run:
        """The run of a catalogue kernel at its default size or a given one.

        ``caches`` also sends its addresses through the model of the caches, ``time`` predicts
        its time.

        Raises:
            SimulatorError: it cannot be compiled or replayed.
        """
        key = (kernel, size, device, blocks, caches, time)
        if key not in self._runs:
            self.on_replay(kernel)
            target = open_catalogue(kernel, size, 0, device)
            self._runs[key] = replay_target(target, device, blocks, caches, time)
        return self._runs[key]

    def compile_edited(self, kernel: str, edits: dict[str, str], device: str) -> Kernel:
        """A catalogue kernel whose source is changed by replacing texts.

        Raises:
            ValueError: a text to replace is not in the source.
            CompileError: the changed source does not compile.
        """
        from simulator.frontends.cuda import compile_cuda

        item = load_workload(kernel)
        source = item.source
        for old, new in edits.items():
            if old not in source:
                raise ValueError(f"{item.source_file} holds no {old!r} any more")
            source = source.replace(old, new)
        self.on_replay(f"{kernel} with {', '.join(edits.values())}")
        return compile_cuda(source, item.entry, device, item.options, name=item.source_file)

    def gap(self, kernel: str) -> Mapping[str, Timing]:
        """Predicted times with warm caches as one cost after the other is taken away.

        Raises:
            SimulatorError: it cannot be compiled or predicted.
        """
        from simulator.emulator.launch import Launch
        from simulator.emulator.program import build_program

        self.on_replay(f"{kernel} with one cost less each time")
        target = open_catalogue(kernel, None, 0, ARTICLE_ONE_GPU)
        where = target.launch
        program = build_program(target.kernel)
        launch = Launch(program, where.grid, where.block, where.shared_bytes, target.arguments)
        return {step.name: step.time.warm for step in find_gap(launch, ARTICLE_ONE_GPU)}

    def wrong_outputs(
        self, kernel: str, size: int, device: str, expected: float
    ) -> tuple[int, int]:
        """Elements of argument 2 that are not ``expected`` after all blocks, and its size."""
        outputs = self.replay(kernel, size, device, "all").outputs[2]
        return int(np.count_nonzero(outputs != np.float32(expected))), int(outputs.size)


def memory_command(
    kernel: str, size: int | None = None, device: str = ARTICLE_ONE_GPU, blocks: str = "auto"
) -> str:
    """The shell command that prints the same replay."""
    words = ["smreplay", "memory", "--kernel", kernel]
    words += ["--size", str(size)] if size is not None else []
    words += ["--device", device] if device != ARTICLE_ONE_GPU else []
    words += ["--blocks", blocks] if blocks != "auto" else []
    return " ".join(words)


def time_command(kernel: str, *changes: str) -> str:
    """The shell command that prints the same predicted time."""
    return " ".join(["smreplay time --kernel", kernel, *(f"--what-if {c}" for c in changes)])
