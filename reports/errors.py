"""What goes wrong when a report is drawn."""

from __future__ import annotations

from simulator.errors import SimulatorError


class ReportError(SimulatorError):
    """A report that cannot be drawn or written; says what to do instead."""
