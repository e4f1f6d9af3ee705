"""Settings for all tests: the first call of a compiled function takes seconds."""

from __future__ import annotations

import os

from hypothesis import settings

# Under CI the examples are the same every time.
settings.register_profile("compiled", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("compiled")
