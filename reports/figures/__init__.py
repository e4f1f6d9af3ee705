"""Figures from runs, for notebooks and pages: pure functions that return plotly figures.

>>> figure = reports.figures.heatmap(run)  # doctest: +SKIP
>>> figure.show()  # doctest: +SKIP
"""

from reports.figures.heatmaps import bank_pressure, heatmap, line_wavefronts
from reports.figures.launch import (
    busy_units,
    instruction_mix,
    occupancy_chart,
    pipe_mix,
    stall_reasons,
)
from reports.figures.memory_chart import memory_chart
from reports.figures.roofline import roof_cycles, roofline
from reports.figures.timeline import timeline

__all__ = [
    "bank_pressure",
    "busy_units",
    "heatmap",
    "instruction_mix",
    "line_wavefronts",
    "memory_chart",
    "occupancy_chart",
    "pipe_mix",
    "roof_cycles",
    "roofline",
    "stall_reasons",
    "timeline",
]
