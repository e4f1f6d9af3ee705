"""The command ``smreplay``: the simulator's pages, with those that draw and serve reports.

It stands here, on the top floor, because only from here can both be imported.
"""

from __future__ import annotations

import sys

from simulator import __main__ as simulator_pages
from simulator.pages import add_page, make_app, page


def main() -> None:
    """Run the page that the command line names."""
    words = simulator_pages.name_page(sys.argv[1:])
    if words[0] in {name for name, _, _ in simulator_pages.PAGES}:
        simulator_pages.main()
    else:
        _run_all(words)


def _run_all(words: list[str]) -> None:
    # Loading plotly takes longer than most of the simulator's pages: only where reports are named.
    from reports.__main__ import make_reports
    from reports.commands import view_page

    app = make_app(simulator_pages.HELP)
    for name, function, text in simulator_pages.PAGES:
        add_page(app, name, function, text)
    add_page(app, "view", page(view_page.view), view_page.HELP)
    app.add_typer(make_reports(), name="report", help="Write a report as an HTML file.")
    app(args=words)


if __name__ == "__main__":
    main()
