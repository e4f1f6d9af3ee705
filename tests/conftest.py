"""Settings for all tests: the first call of a compiled function takes seconds."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import settings

# Under CI the examples are the same every time.
settings.register_profile("compiled", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("compiled")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Each worker begins with a stretch of the tests and takes from another's when it is done.

    So a file's kernels and replays, which its tests share, are made in one process, and not in
    two at the same time.
    """
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)
