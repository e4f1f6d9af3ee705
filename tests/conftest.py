"""Settings for all tests: the first call of a compiled function takes seconds."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("compiled", deadline=None)
settings.load_profile("compiled")
