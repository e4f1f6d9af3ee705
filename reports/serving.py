"""Saved runs in a browser: the same pages, served on 127.0.0.1 and to this machine alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from reports.errors import ReportError
from reports.markup import note
from reports.page import Markup, Page, Section, render_page
from reports.pages.common import title_of
from reports.pages.diff import diff_page
from reports.pages.heatmap import heatmap_page
from reports.pages.kernel import kernel_page
from simulator.errors import SimulatorError, StorageError
from simulator.frontends.entry import shown_name
from simulator.results import Run
from simulator.storage import load_run

HOST = "127.0.0.1"
ONE_RUN: dict[str, Callable[[Run], Page]] = {"/heatmap": heatmap_page, "/kernel": kernel_page}


@dataclass(frozen=True)
class Library:
    """Saved runs by the name they have in addresses; only these files are ever read.

    ``heads`` are kernel and device of each.
    """

    files: dict[str, Path] = field(default_factory=dict)
    heads: dict[str, tuple[str, str]] = field(default_factory=dict)

    def add(self, path: Path) -> None:
        """Take up a saved run under its file's stem, with a number where another has it.

        Raises:
            StorageError: the file is no saved run.
        """
        run = load_run(path)
        name, number = path.stem, 2
        while name in self.files:
            name, number = f"{path.stem}-{number}", number + 1
        self.files[name] = path
        self.heads[name] = (shown_name(run.kernel), title_of(run))

    def load(self, name: str) -> Run:
        """The run of that name.

        Raises:
            ReportError: there is no such run.
            StorageError: its file has changed and cannot be read any more.
        """
        if name not in self.files:
            raise ReportError(f"there is no run {name!r} here; go back to the list")
        return load_run(self.files[name])


def find_runs(paths: Iterable[Path]) -> Library:
    """The saved runs among files and, not deeper, in folders; other JSON files are passed over.

    Raises:
        ReportError: there is none, or a file given by its name is no run.
    """
    library = Library()
    for path in paths:
        if not path.is_dir():
            library.add(path)
            continue
        for inner in sorted(path.glob("*.json")):
            with suppress(StorageError):
                if inner.is_file():  # a pipe would be waited for
                    library.add(inner)
    if not library.files:
        raise ReportError(
            "no saved runs there; save one: smreplay memory --kernel NAME --json FILE"
        )
    return library


def answer(library: Library, address: str) -> tuple[HTTPStatus, str]:
    """Status and HTML for a path with its query."""
    parts = urlsplit(address)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    try:
        page = _find_page(library, parts.path, query)
    except SimulatorError as error:
        return HTTPStatus.NOT_FOUND, render_page(_error_page(str(error)))
    return HTTPStatus.OK, render_page(page)


def _find_page(library: Library, path: str, query: dict[str, str]) -> Page:
    if path == "/":
        return list_page(library)
    if path == "/diff":
        before, after = (library.load(query.get(side, "")) for side in ("before", "after"))
        return diff_page(before, after)
    if path in ONE_RUN:
        return ONE_RUN[path](library.load(query.get("run", "")))
    raise ReportError(f"there is no page {path}; go back to the list")


def _error_page(message: str) -> Page:
    home = Markup('<p><a href="/">All saved runs</a></p>')
    return Page("This page cannot be shown", "", (Section("Why", [note(message), home]),))


def list_page(library: Library) -> Page:
    """All saved runs with links to their pages, and a choice of two to compare."""
    links = "".join(_entry(name, *library.heads[name]) for name in library.files)
    items = Markup(
        '<div class="scroll"><table><thead><tr><th>run<th>kernel<th>device<th>pages</tr></thead>'
        f"<tbody>{links}</tbody></table></div>"
    )
    sections = [Section("Runs", [items])]
    if len(library.files) > 1:
        sections.append(Section("Compare", [_compare_form(library)]))
    return Page("Saved runs", f"{len(library.files)} on this machine.", tuple(sections))


def _entry(name: str, kernel: str, device: str) -> str:
    pages = " ".join(f'<a href="{path}?run={quote(name)}">{path[1:]}</a>' for path in ONE_RUN)
    cells = "".join(f"<td>{escape(text)}</td>" for text in (name, kernel, device))
    return f"<tr>{cells}<td>{pages}</td></tr>"


def _compare_form(library: Library) -> Markup:
    options = [f"<option>{escape(name)}</option>" for name in library.files]
    second = [options[1].replace("<option>", "<option selected>", 1), options[0], *options[2:]]
    return Markup(
        '<form action="/diff"><label>before <select name="before">'
        f'{"".join(options)}</select></label> <label>after <select name="after">{"".join(second)}'
        "</select></label> <button>Compare</button></form>"
    )


def make_server(library: Library, port: int) -> ThreadingHTTPServer:
    """A server on 127.0.0.1; port 0 takes a free one.

    Raises:
        ReportError: the port is taken.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not _is_local(self.headers.get("Host", "")):
                self.send_error(HTTPStatus.FORBIDDEN, "this server answers to 127.0.0.1 only")
                return
            status, html = answer(library, self.path)
            content = html.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            with suppress(ConnectionError):  # the reader has gone on to another page
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the terminal shows the address alone."""

    try:
        return ThreadingHTTPServer((HOST, port), Handler)
    except OSError as error:
        raise ReportError(
            f"port {port} cannot be used ({error.strerror}); choose a --port"
        ) from None


def _is_local(host: str) -> bool:
    """Whether a request was meant for this machine: pages of other sites cannot read runs."""
    return host.rsplit(":", 1)[0] in (HOST, "localhost")
