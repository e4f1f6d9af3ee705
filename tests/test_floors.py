"""Do imports go down? Every module is parsed; what ARCHITECTURE.md draws is checked here."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("kernels", "simulator", "validation", "reports")
# From top to bottom: a package may import from those below it.
PACKAGE_FLOORS = (("reports",), ("validation",), ("simulator",), ("kernels",))
ONLY_IN = {"cupy": "validation", "plotly": "reports"}
KERNELS_MAY_IMPORT = {"numpy", "rich", "typer"}


def drawn_floors() -> list[list[set[str]]]:
    """The floors inside simulator as ARCHITECTURE.md draws them, from top to bottom.

    A line holds a floor and, after two spaces, what it is. Parts with a comma between them may
    import each other, those on two sides of a bar are strangers.
    """
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    drawing = re.search(r"^```floors\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert drawing is not None, "ARCHITECTURE.md has lost its drawing of the floors"
    floors = [line.split("  ")[0].split("|") for line in drawing[1].splitlines()]
    return [[set(group.replace(",", " ").split()) for group in floor] for floor in floors]


FLOORS = drawn_floors()


def modules() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def name_of(path: Path) -> tuple[str, ...]:
    """The dotted name of a module as parts; a package is named like its folder."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def imported(path: Path) -> Iterator[tuple[str, ...]]:
    """Dotted names of everything a module imports, at its top or inside a function."""
    here = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = here[: len(here) - node.level + 1] if node.level else ()
            base = home + tuple((node.module or "").split(".") if node.module else ())
            yield from ((*base, alias.name) for alias in node.names)


def place_of(part: str) -> tuple[int, int]:
    """Where a part of simulator stands: floors from the top, and the group on its floor."""
    return next(
        (n, m) for n, floor in enumerate(FLOORS) for m, group in enumerate(floor) if part in group
    )


def part_of(name: tuple[str, ...]) -> str | None:
    """The part of simulator that a module belongs to; None for simulator itself."""
    return name[1] if name[0] == "simulator" and len(name) > 1 else None


def known_parts() -> set[str]:
    return {part for floor in FLOORS for group in floor for part in group}


def test_there_are_modules() -> None:
    assert len(modules()) > 100
    for package in PACKAGES[:3]:
        assert any(name_of(path)[0] == package for path in modules())


def test_every_part_of_the_simulator_has_a_floor() -> None:
    parts = {part_of(name_of(path)) for path in modules()} - {None}
    assert parts == known_parts(), "draw the new part on its floor in ARCHITECTURE.md"


@pytest.mark.parametrize("path", modules(), ids=lambda path: ".".join(name_of(path)))
def test_imports_go_down(path: Path) -> None:
    name = name_of(path)
    own = next(n for n, floor in enumerate(PACKAGE_FLOORS) if name[0] in floor)
    below = [package for floor in PACKAGE_FLOORS[own:] for package in floor]
    for target in imported(path):
        if target[0] in PACKAGES:
            assert target[0] in below, f"{'.'.join(name)} imports {'.'.join(target)}"
        check_floor(name, target)
        only = ONLY_IN.get(target[0])
        assert only in (None, name[0]), f"only {only} may import {target[0]}"


def check_floor(name: tuple[str, ...], target: tuple[str, ...]) -> None:
    """Inside simulator, a part imports itself, its floor or the floors below."""
    part, other = part_of(name), part_of(target)
    if part is None or other is None or other == part or other not in known_parts():
        return
    floor, group = place_of(part)
    other_floor, other_group = place_of(other)
    assert other_floor >= floor, f"{'.'.join(name)} imports {'.'.join(target)}, which is above it"
    if other_floor == floor:
        assert other_group == group, f"{part} and {other} are strangers"


def test_kernels_need_little() -> None:
    for path in modules():
        if name_of(path)[0] == "kernels":
            outside = {target[0] for target in imported(path)} - {"kernels"}
            assert {name for name in outside if not is_standard(name)} <= KERNELS_MAY_IMPORT


def is_standard(name: str) -> bool:
    return name in sys.stdlib_module_names
