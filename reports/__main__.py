"""``python -m reports``: one self-contained HTML file for each question."""

from __future__ import annotations

import typer

from reports.commands import claims_report, comparison_report, diff_report, run_report
from simulator.pages import make_app, page

HELP = "Draws saved runs and replays as HTML pages that work offline."


def make_reports() -> typer.Typer:
    """All reports as one application."""
    app = make_app(HELP)
    app.command("heatmap", help=run_report.HEATMAP_HELP)(page(run_report.heatmap))
    app.command("kernel", help=run_report.KERNEL_HELP)(page(run_report.kernel))
    app.command("accuracy", help=comparison_report.HELP)(page(comparison_report.accuracy))
    app.command("claims", help=claims_report.HELP)(page(claims_report.claims))
    app.command("diff", help=diff_report.HELP)(page(diff_report.diff))
    return app


def main() -> None:
    """Run the report that the command line names."""
    make_reports()()


if __name__ == "__main__":
    main()
