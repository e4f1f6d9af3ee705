"""Do numbers of GPUs stand in the device files, not in the code of the models?

A named number of the models of caches and time is listed here, or it is a fact of a device; one
that is neither is found by its name. What no name has: fractions inside functions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import simulator

ROOT = Path(simulator.__file__).parent
PACKAGES = ("timing", "memory/caches")
# Sizes and columns of tables, bits of packed words, marks: they say how code keeps things.
TABLES = """
    BLOCK_RANK COLUMNS COMING COALESCER_ENTRIES COST EMPTY ENDLESS ENTRY ENTRY_BITS FLIGHTS GOES_ON
    GROUP_PLACES HEAD INSTRUCTION_SHIFT IN_BOTH KEEP KINDS KIND_MASK KIND_SHIFT L15_READY L15_TURN
    L1_READY LATE LINE_BITS LINE_NUMBER_BITS LINE_SHIFT LOCAL LOCAL_BASE LOCAL_LINES MARKS
    MOST_ITEMS MOST_LINES NEVER NO_REQUEST PAIRS PLACES QUEUE QUEUE_PLACES REQUEST ROW SECTORS
    SECTORS_PER_LINE SECTOR_BITS SLOT SM_ROWS STEP_WORDS STREAM_ROWS UNIT_COLUMNS
    VALID_BITS WHOLE WORDS _ALL_BANK_READS _HALF _LATE _LONG _LOW _MOST _ROWS _WHOLE _WHOLE_WORDS
    _PLACE_BITS _WORD
"""
# How much is simulated, how often and how finely, and what else only saves work.
EFFORT = """
    AT_ONCE BATCH_COST DETAILED_COST FEW_ROWS LEAST_WAVES MANY_REQUESTS MOST_COUNTED
    MOST_INSTRUCTIONS MOST_KEPT MOST_PHASES MOST_SMS MOST_TRIES MOST_WORK OPENS_BEHIND TRIED_ITEMS
    _FINE
"""
# Hashes and distributions: chance.
CHANCE = "_HASH _MIX _QUANTILES _TURN _WAITS"
# From where on a part of the model is used, and what its result is worth.
MODEL = """
    BUSY_WARPS LONG MOST_ROUNDS NEARLY_FULL SATURATED SPREAD_ELSEWHERE SPREAD_MEASURED UNEVEN
    _CROWDED _MOSTLY
"""
# Machine code and launches, the same on all GPUs.
CODE = "BOARDS MOST_WARPS STORES _ALL_SCOREBOARDS _AXES _WIDE_BYTES"
KNOWN = {name for names in (TABLES, EFFORT, CHANCE, MODEL, CODE) for name in names.split()}
PLAIN = {0.0, 0.5, 1.0, 2.0, 1e-9, 1e-6, 1e6}  # fractions: halves, units, guards of a division


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).glob("*.py")):
            yield f"{package}/{path.name}", ast.parse(path.read_text(encoding="utf-8"))


def numbers(node: ast.AST) -> set[float]:
    """Literals in an expression, but 0, 1 and how many columns a ``range`` names."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range":
        return set()
    if isinstance(node, ast.Constant):
        return {node.value} - {0, 1} if type(node.value) in (int, float) else set()
    return set().union(*(numbers(child) for child in ast.iter_child_nodes(node)))


def named_numbers() -> dict[str, str]:
    """Names that a module gives to numbers, and the module."""
    return {
        name.id: where
        for where, module in modules()
        for node in module.body
        if isinstance(node, ast.Assign) and numbers(node.value)
        for target in node.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }


def test_named_numbers_are_none_of_a_gpu() -> None:
    unknown = {name: where for name, where in named_numbers().items() if name not in KNOWN}
    assert not unknown, "give a device file the number, with its origin, or list its name here"


def test_no_name_is_listed_in_vain() -> None:
    assert named_numbers().keys() >= KNOWN


def test_functions_hold_no_fractions() -> None:
    found = {
        (where, node.lineno, node.value)
        for where, module in modules()
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and type(node.value) is float and node.value not in PLAIN
    }
    assert not found, "give the number a name: of a device file, or of the model"
