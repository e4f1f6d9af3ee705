"""``python -m reports``: one self-contained HTML file for each question."""

from __future__ import annotations

import typer

from reports.commands import claims_report, comparison_report, diff_report, run_report
from simulator.pages import add_page, make_app, page

HELP = "Draws saved runs and replays as HTML pages that work offline."


def make_reports() -> typer.Typer:
    """All reports as one application."""
    app = make_app(HELP)
    add_page(app, "heatmap", page(run_report.heatmap), run_report.HEATMAP_HELP)
    add_page(app, "kernel", page(run_report.kernel), run_report.KERNEL_HELP)
    add_page(app, "accuracy", page(comparison_report.accuracy), comparison_report.HELP)
    add_page(app, "claims", page(claims_report.claims), claims_report.HELP)
    add_page(app, "diff", page(diff_report.diff), diff_report.HELP)
    return app


def main() -> None:
    """Run the report that the command line names."""
    make_reports()()


if __name__ == "__main__":
    main()
