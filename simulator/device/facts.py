"""One number about a GPU, with where it comes from, read from the data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from simulator.errors import DeviceDataError

Number = int | float
Value = Number | tuple[Number, ...]


class Label(str, Enum):
    """How a number became known."""

    DOCUMENTED = "documented"  # the vendor says so
    MEASURED = "measured"  # somebody ran a microbenchmark
    FITTED = "fitted"  # a model's parameter, tuned until the model agreed with hardware


@dataclass(frozen=True, slots=True)
class Fact:
    """A number (or a short row of numbers, the unit saying what each is) and its origin.

    ``source`` are full references. ``on`` is the chip a measured or fitted number was obtained
    on, which is not always this GPU: a number from another chip is a hypothesis here. ``probe`` are
    the programs of this project that it was measured with and the records of what they found, as
    paths from ``validation/microbench``. ``checked`` is False for a documented number that was
    noted down from memory of the document and not looked up again.
    """

    value: Value
    unit: str
    label: Label
    source: tuple[str, ...]
    on: str | None = None
    probe: tuple[str, ...] = ()
    checked: bool = True
    note: str = ""


_FIELDS = {"value", "unit", "label", "source", "on", "probe", "checked", "note"}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _read_value(raw: object) -> Value | None:
    if _is_number(raw):
        return raw  # type: ignore[return-value]
    if isinstance(raw, list) and raw and all(_is_number(item) for item in raw):
        return tuple(raw)
    return None


def _problem(raw: Mapping[str, Any], sources: Mapping[str, str]) -> str | None:
    """What is wrong with the raw fact, or None."""
    missing = {"value", "unit", "label", "source"} - raw.keys()
    if missing:
        return f"lacks {', '.join(sorted(missing))}"
    if raw.keys() - _FIELDS:
        return f"has unknown fields {', '.join(sorted(raw.keys() - _FIELDS))}"
    if _read_value(raw["value"]) is None:
        return "has a value that is neither a number nor a list of numbers"
    if not isinstance(raw["unit"], str) or not raw["unit"]:
        return "has no unit"
    known = [label.value for label in Label]
    if raw["label"] not in known:
        return f"has the label {raw['label']!r}; it must be one of {', '.join(known)}"
    if not isinstance(raw["source"], list) or not raw["source"]:
        return "names no source"
    strange = [key for key in raw["source"] if key not in sources]
    if strange:
        return f"names sources that sources.json does not have: {', '.join(map(str, strange))}"
    if raw["label"] != Label.DOCUMENTED.value and not raw.get("on"):
        return f"is {raw['label']} but does not say on which chip ('on')"
    return None


def read_fact(key: str, raw: object, where: str, sources: Mapping[str, str]) -> Fact:
    """Check one raw fact of the file ``where`` and make it a :class:`Fact`.

    ``sources`` maps the short names used in the files to full references.

    Raises:
        DeviceDataError: a field is missing, unknown or wrong; names file, fact and field.
    """
    if not isinstance(raw, Mapping):
        raise DeviceDataError(f"{where}: fact {key!r} is no object with value, unit, label, source")
    problem = _problem(raw, sources)
    if problem:
        raise DeviceDataError(f"{where}: fact {key!r} {problem}; correct the file")
    value = _read_value(raw["value"])
    assert value is not None  # checked by _problem
    return Fact(
        value=value,
        unit=raw["unit"],
        label=Label(raw["label"]),
        source=tuple(sources[name] for name in raw["source"]),
        on=raw.get("on"),
        probe=tuple(raw.get("probe", ())),
        checked=raw.get("checked", True),
        note=raw.get("note", ""),
    )
