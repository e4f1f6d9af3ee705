"""Compiled functions: called as numba would, remembered on disk, run without numba."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from simulator.jit import compiled, intrinsic, pack, step, types
from simulator.toolchain.cache import CACHE_VARIABLE


class Pair(NamedTuple):
    """A tuple of arrays, as models hand them on."""

    left: Any
    right: Any


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    return tmp_path


def _double(typing: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.add(arguments[0], arguments[0])

    return types.int64(types.int64), generate


double = intrinsic(_double)


@step
def weigh(table: Any, column: int) -> int:
    total = 0
    for row in range(table.shape[0]):
        total += np.int64(table[row, column]) * (row + 1)
    return total


@compiled
def combine(table: Any, pair: Any, column: int, factor: float, flag: bool) -> Any:
    pair.right[0] = double(weigh(table, column))
    total = 0.0
    for value in pair.left:
        total += value
    return total * factor, weigh(table, column), flag


@compiled
def literals(a: int) -> Any:
    return a, 7


@compiled
def nothing(numbers: Any) -> None:
    numbers[0] += 1


@compiled
def single(a: int, b: Any) -> Any:
    return a // b


def _arguments() -> tuple[Any, ...]:
    table = np.arange(12, dtype=np.uint32).reshape(3, 4)
    pair = Pair(np.array([0.5, 1.5]), np.zeros(1, np.int64))
    return table, pair, 2, 2.0, True


def test_every_kind_of_argument_and_result() -> None:
    arguments = _arguments()
    weight = 2 * 1 + 6 * 2 + 10 * 3
    assert combine(*arguments) == (4.0, weight, True)
    assert arguments[1].right[0] == 2 * weight


def test_numpy_s_own_numbers() -> None:
    table, pair, *_ = _arguments()
    found = combine(table, pair, np.int32(2), np.float32(2), np.bool_(False))
    assert found == (4.0, 2 * 1 + 6 * 2 + 10 * 3, False)


def test_arrays_with_steps_between_elements() -> None:
    _, pair, *rest = _arguments()
    wide = np.arange(24, dtype=np.uint32).reshape(3, 8)
    assert combine(wide[:, ::2], pair, *rest)[1] == 4 * 1 + 12 * 2 + 20 * 3


def test_arguments_packed_once_for_many_calls() -> None:
    table, pair, *rest = _arguments()
    packed = pack(pair)
    assert combine(table, packed, *rest) == combine(table, pair, *rest)
    pair.left[0] = 2.5  # the contents may change
    assert combine(table, packed, *rest)[0] == 8.0


def test_constants_among_results() -> None:
    assert literals(3) == (3, 7)


def test_functions_without_a_result() -> None:
    numbers = np.zeros(2, np.int64)
    assert nothing(numbers) is None
    assert numbers.tolist() == [1, 0]


@pytest.mark.parametrize(("b", "result"), [(2, 3), (np.int32(2), 3), (2.5, 2.0)])
def test_each_combination_of_types_has_its_own_code(b: Any, result: Any) -> None:
    found = single(7, b)
    assert found == result
    assert type(found) is type(result)


def test_what_goes_wrong_inside_is_an_error() -> None:
    with pytest.raises(ArithmeticError, match="single"):
        single(7, 0)


def test_other_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="list"):
        single([1], 2)


def test_code_is_kept_and_runs_without_numba(cache: Path) -> None:
    program = (
        "import sys, numpy as np; from simulator.memory.shared import hardware_group;"
        "print(hardware_group(np.arange(32, dtype=np.uint32) * 8, -1 & 0xFFFFFFFF, 4, True));"
        "print('numba' in sys.modules)"
    )
    outputs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    (first, compiling), (second, loaded) = (o.stdout.split() for o in outputs)
    assert first == second
    assert (compiling, loaded) == ("True", "False")
    assert list((cache / "functions").rglob("*"))


def test_the_runtime_of_the_emulator_runs_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it, atomics with their functions of the C library too."""
    monkeypatch.delenv(CACHE_VARIABLE)  # most of it has been compiled by other tests
    program = (
        "import sys; from simulator.emulator.runtime import symbols as s;"
        "[s.register_symbol(name) for name in s.known_symbols()];"
        "print('numba' in sys.modules)"
    )
    command = [sys.executable, "-c", program]
    subprocess.run(command, check=True, capture_output=True)
    assert subprocess.run(command, check=True, capture_output=True).stdout == b"False\n"


@pytest.mark.parametrize(
    "module", ["simulator.composition", "simulator.caching", "simulator.timing.predict"]
)
def test_modules_load_without_numba(module: str) -> None:
    """Numba takes longer to load than most replays take."""
    program = f"import sys, {module}; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
