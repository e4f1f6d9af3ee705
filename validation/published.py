"""Times that others published for kernels the catalogue rebuilds: records of their own kind.

They hold times alone. Which machine code ran is not known, so no program hash stands beside them
and no counter is compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import RecordError
from .records import RECORDS_ROOT

FILE = "published.json"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class PublishedTime:
    """One kernel's published time: microseconds a launch, one value a published run.

    ``launches_per_time`` launches were timed together; ``published_as`` is the kernel's name and
    file in the source.
    """

    kernel: str
    size: Mapping[str, int]
    warm_us: Sequence[float]
    launches_per_time: int
    published_as: str


@dataclass(frozen=True, slots=True)
class RebuiltTime:
    """The published time of a kernel that ``published_kernels`` rebuilds from its description.

    ``arguments`` are as ``--arg`` takes them; the rest as in :class:`PublishedTime`.
    """

    source: str
    entry: str
    grid: Sequence[int]
    block: Sequence[int]
    arguments: Sequence[str]
    warm_us: Sequence[float]
    launches_per_time: int
    published_as: str


@dataclass(frozen=True, slots=True)
class Published:
    """What one source published for a GPU, and how it was measured.

    ``times`` are of kernels of the catalogue, ``rebuilt`` of others that the source describes,
    ``references`` of libraries, which stand for no kernel.
    """

    gpu: str
    source: str
    method: str
    times: tuple[PublishedTime, ...]
    references: tuple[PublishedTime, ...] = ()
    rebuilt: tuple[RebuiltTime, ...] = ()


def load_published(device: str, root: Path = RECORDS_ROOT) -> Published | None:
    """The published times of a device (``rtx4090``); None where there are none.

    Raises:
        RecordError: the file is damaged or of another schema.
    """
    path = root / device / FILE
    if not path.exists():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["schema"] != SCHEMA:
            raise RecordError(f"{path} has another schema than {SCHEMA}; restore the file")
        times = tuple(PublishedTime(**row) for row in content["times"])
        references = tuple(PublishedTime(**row) for row in content.get("references", ()))
        rebuilt = tuple(RebuiltTime(**row) for row in content.get("rebuilt", ()))
        heading = (content["gpu"], content["source"], content["method"])
        return Published(*heading, times, references, rebuilt)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{path} holds no published times ({error}); restore the file") from error
