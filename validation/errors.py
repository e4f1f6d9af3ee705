"""What can go wrong while measuring, as messages that name the way out."""

from __future__ import annotations

from simulator.errors import SimulatorError


class MeasureError(SimulatorError):
    """A measurement that cannot be made on this machine."""


class ProfilerError(MeasureError):
    """ncu is missing, refused or failed; times can still be taken without it."""


class RecordError(SimulatorError):
    """A hardware record that cannot be read or does not belong to this kernel."""
