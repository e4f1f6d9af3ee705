"""Compares all records of a folder: replays each launch and keeps what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from simulator.errors import SimulatorError, UnknownNameError

from .errors import RecordError
from .published import FILE, Published, load_published
from .records import RECORDS_ROOT, SUFFIX, load_record
from .replays import chosen, device_of, is_comparable, replay_record
from .rows import Launch, compare_launch


@dataclass
class Comparison:
    """What a comparison found.

    ``refused`` maps a record's name to why it could not be compared, ``uncounted`` one without
    counters to its notes, ``published`` a device to its published times.
    """

    launches: list[Launch] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    uncounted: dict[str, Sequence[str]] = field(default_factory=dict)
    published: dict[str, Published] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """1: an exact number differs or a bound is broken; 2: a record could not be compared."""
        if any(launch.wrong for launch in self.launches):
            return 1
        return 2 if self.refused else 0


def device_folders(device: str | None, root: Path = RECORDS_ROOT) -> list[Path]:
    """The folders of records: that of a device, or all.

    Raises:
        UnknownNameError: there are no records of that device.
    """
    folders = {path.name: path for path in sorted(root.iterdir()) if path.is_dir()}
    if device is None:
        return list(folders.values())
    name = "".join(letter for letter in device.lower() if letter.isalnum())
    if name not in folders:
        raise UnknownNameError("device with records", device, folders)
    return [folders[name]]


def compare_folders(
    folders: Sequence[Path],
    kernels: list[str],
    on_launch: Callable[[Launch], None],
    time: bool = False,
) -> Comparison:
    """Compare every record of these kernels (all without names); ``on_launch`` hears of each.

    With ``time`` times are predicted too, which takes longer.

    Raises:
        RecordError: nothing of these kernels is in the folders.
    """
    found = Comparison()
    for folder in folders:
        for path in chosen(sorted(folder.glob(f"*{SUFFIX}")), kernels):
            compare_record(path, found, on_launch, time)
        published = load_published(folder.name, folder.parent)
        named = {row.kernel for row in published.times} if published else set()
        if published and (not kernels or named & set(kernels)):
            found.published[folder.name] = published
    if not (found.launches or found.refused or found.uncounted or found.published):
        places = ", ".join(str(folder) for folder in folders)
        wanted = f"of {', '.join(kernels)} " if kernels else ""
        raise RecordError(f"no records {wanted}(*{SUFFIX} or {FILE}) in {places}; measure first")
    return found


def compare_record(
    path: Path, found: Comparison, on_launch: Callable[[Launch], None], time: bool = False
) -> None:
    """Compare one record file and add what came of it to ``found``."""
    name = path.name.removesuffix(SUFFIX)
    try:
        record = load_record(path)
        if not is_comparable(record):
            found.uncounted[name] = tuple(record.notes)
            return
        launch = compare_launch(replay_record(record, path, time), record, device_of(record))
    except SimulatorError as error:
        found.refused[name] = str(error)
        return
    found.launches.append(launch)
    on_launch(launch)
