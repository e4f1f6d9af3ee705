"""The command ``smreplay``: the simulator's pages, with those that draw and serve reports.

It stands here, on the top floor, because only from here can both be imported.
"""

from __future__ import annotations

import sys

from reports.__main__ import make_reports
from reports.commands import view_page
from simulator.__main__ import HELP, PAGES, name_page
from simulator.pages import make_app, page


def main() -> None:
    """Run the page that the command line names."""
    app = make_app(HELP)
    for name, function, text in PAGES:
        app.command(name, help=text)(function)
    app.command("view", help=view_page.HELP)(page(view_page.view))
    app.add_typer(make_reports(), name="report", help="Write a report as an HTML file.")
    app(args=name_page(sys.argv[1:]))


if __name__ == "__main__":
    main()
