"""What a user meets: the commands, their files, their errors, and the server."""

from __future__ import annotations

import os
import re
import threading
import urllib.request
from collections.abc import Iterator
from html import unescape
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from urllib.error import HTTPError

import plotly.graph_objects as go
import plotly.io
import pytest
from typer.testing import CliRunner

import reports.images
from reports.__main__ import make_reports
from reports.command import main
from reports.commands.view_page import view
from reports.errors import ReportError
from reports.figures import bank_pressure, line_wavefronts
from reports.images import file_stem, save_images
from reports.markup import number, table
from reports.page import Drawing
from reports.serving import HOST, Library, answer, find_runs, make_server
from simulator.pages import make_app, page
from tests.reports.browser import find_chromium
from tests.simulator.runs import make_run

RUNNER = CliRunner()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two saved runs and a file that is none."""
    make_run().save(tmp_path / "one.json")
    make_run(registers=64).save(tmp_path / "two.json")
    (tmp_path / "other.json").write_text("{}")
    return tmp_path


def report(*words: str | Path) -> tuple[int, str]:
    """Exit code and everything printed."""
    result = RUNNER.invoke(make_reports(), [str(word) for word in words])
    return result.exit_code, result.output


def test_reports_on_saved_runs_are_written(folder: Path) -> None:
    one, two = folder / "one.json", folder / "two.json"
    for words in (["heatmap", one], ["kernel", one], ["diff", one, two]):
        out = folder / f"{words[0]}.html"
        code, printed = report(*words, "--out", out)
        assert code == 0
        assert f"written to {out}" in printed.replace("\n", "")
        html = out.read_text()
        assert html.startswith("<!DOCTYPE html>")
        assert html.count("plotly.js v") >= 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["heatmap"], "give a saved run, or one of --kernel"),
        (["heatmap", "missing.json"], "cannot read missing.json"),
        (["kernel", "--kernel", "tiled_gem"], "did you mean"),
        (["accuracy", "missing.json"], "cannot read missing.json"),
        (["accuracy", "--device", "voodoo"], "unknown device with records"),
        (["claims", "--claim", "99"], "unknown claim '99'"),
        (["diff", "a.json", "b.json"], "cannot read a.json"),
    ],
)
def test_errors_are_one_message_and_exit_code_2(words: list[str], message: str) -> None:
    code, printed = report(*words)
    assert code == 2
    assert message in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kernel", "tiled_gemm"], "--kernel does not go with a saved run"),
        (["--blocks", "all"], "--blocks does not go with a saved run"),
        (["--device", "h200"], "--device does not go with a saved run"),
        (["--seed", "3"], "--seed does not go with a saved run"),
        (["--json", "again.json"], "--json does not go with a saved run"),
        (["--time"], "one.json holds no predicted time"),
        (["--device", "rtx4090"], "written to"),
    ],
)
def test_a_saved_run_is_shown_as_it_is(folder: Path, options: list[str], message: str) -> None:
    code, printed = report("kernel", folder / "one.json", *options, "--out", folder / "a.html")
    assert (code, message in printed.replace("\n", "")) == (0 if "written" in message else 2, True)


@pytest.mark.parametrize("place", ["no/a.html", "."])
@pytest.mark.parametrize("words", [["kernel", "--kernel", "tiled_gemm"], ["claims"], ["accuracy"]])
def test_a_page_that_cannot_be_written_is_told_before_any_replay(
    monkeypatch: pytest.MonkeyPatch, folder: Path, words: list[str], place: str
) -> None:
    def replay(*_: object, **__: object) -> None:
        raise AssertionError("replayed first")

    monkeypatch.setattr("reports.commands.run_report.open_run", replay)
    monkeypatch.setattr("reports.commands.claims_report.ask_all", replay)
    monkeypatch.setattr("reports.commands.comparison_report.compare_now", replay)
    code, printed = report(*words, "--out", folder / place)
    assert code == 2
    assert "choose another --out" in printed


def test_images_that_cannot_be_drawn_are_told_before_the_page(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setattr(reports.images, "find_spec", lambda name: None)
    out = folder / "a.html"
    code, printed = report("kernel", folder / "one.json", "--out", out, "--images", folder / "i")
    assert (code, out.exists()) == (2, False)
    assert "--images needs kaleido" in printed


def drawings() -> list[Drawing]:
    """Two figures of the hand-made run."""
    return [Drawing(bank_pressure(make_run())), Drawing(line_wavefronts(make_run()))]


def test_images_need_the_exporter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(reports.images, "find_spec", lambda name: None)
    with pytest.raises(ReportError, match=r"pip install 'smreplay\[images\]'"):
        save_images(drawings(), tmp_path)
    assert file_stem(3, "line 8: LDS, lanes & banks") == "03-line-8-lds-lanes-banks"


@pytest.mark.parametrize("at_once", [True, False])
def test_images_of_every_figure_in_every_format(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, at_once: bool
) -> None:
    """With an exporter of the test's own, of the kind plotly 6 has, and of the kind before."""
    seen = []

    def write_one(figure: go.Figure, path: Path, height: int, **_: object) -> None:
        assert height == figure.layout.height
        seen.append(figure.layout.paper_bgcolor)
        path.write_text(figure.layout.title.text)

    def write_all(
        figures: list[go.Figure], paths: list[Path], height: list[int], **_: object
    ) -> None:
        for figure, path, pixels in zip(figures, paths, height, strict=True):
            write_one(figure, path, pixels)

    monkeypatch.setattr(reports.images, "find_spec", lambda name: object())
    monkeypatch.setattr(go.Figure, "write_image", write_one)
    monkeypatch.setattr(reports.images, "writes_together", lambda: at_once)
    monkeypatch.setattr(plotly.io, "write_images", write_all, raising=False)
    written = save_images(drawings(), tmp_path / "new")
    assert [path.suffix for path in written] == [".png", ".svg"] * 2
    assert all(path.read_text() for path in written)
    assert set(seen) == {"#ffffff"}
    assert drawings()[0].figure.layout.paper_bgcolor == "rgba(0,0,0,0)"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError("Kaleido requires Google Chrome"), "set BROWSER_PATH"),
        (KeyError("gl"), "could not draw the images"),
        (OSError("disk full"), "cannot write images to"),
    ],
)
def test_what_the_exporter_raises_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, message: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(reports.images, "find_spec", lambda name: object())
    monkeypatch.setattr(reports.images, "_write_all", fail)
    with pytest.raises(ReportError, match=message):
        save_images(drawings(), tmp_path)


@pytest.mark.skipif(find_spec("kaleido") is None, reason="kaleido is not installed")
def test_real_images(tmp_path: Path) -> None:
    find_chromium()
    png, svg = save_images(drawings()[:1], tmp_path)
    assert png.read_bytes().startswith(b"\x89PNG")
    assert "<svg" in svg.read_text()


def test_the_command_has_the_pages_of_all_floors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["smreplay", "--help"])
    with pytest.raises(SystemExit):
        main()
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("memory", "banks", "diff", "view", "report"))
    assert "..." not in printed[printed.index("Commands:") :]


def test_library_takes_runs_and_passes_over_the_rest(folder: Path) -> None:
    library = find_runs([folder, folder / "one.json"])
    assert list(library.files) == ["one", "two", "one-2"]
    assert library.heads["one"] == ("k", "NVIDIA GeForce RTX 4090 (sm_89)")
    with pytest.raises(ReportError, match="no saved runs"):
        find_runs([folder / ".."])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_a_folder_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe.json")
    (folder / "folder.json").mkdir()
    assert list(find_runs([folder]).files) == ["one", "two"]


def test_names_of_files_are_text_and_can_be_asked_for(folder: Path) -> None:
    name = "<b>a &\"'#?%2e"
    (folder / "one.json").rename(folder / f"{name}.json")
    library = find_runs([folder])
    _, html = answer(library, "/")
    assert "<b>a" not in html
    link = re.search(r'href="(/kernel\?run=%3Cb[^"]*)"', html)
    assert link is not None
    assert answer(library, unescape(link[1]))[0] is HTTPStatus.OK


def test_answers(folder: Path) -> None:
    library = find_runs([folder])
    status, html = answer(library, "/")
    assert status is HTTPStatus.OK
    assert "/heatmap?run=one" in html
    assert "Plotly" not in html.replace("Plotly.", "")
    assert answer(library, "/diff?before=one&after=two")[0] is HTTPStatus.OK
    for address in ("/kernel?run=../one", "/kernel", "/nothing", "/diff?before=one"):
        status, html = answer(library, address)
        assert status is HTTPStatus.NOT_FOUND
        assert "All saved runs" in html


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """A running server."""
    server = make_server(find_runs([folder]), 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://{HOST}:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_server_answers_to_this_machine_only(address: str) -> None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"{address}/kernel?run=one") as reply:
        assert reply.status == HTTPStatus.OK
        assert b"k on NVIDIA GeForce RTX 4090 (sm_89)" in reply.read()
    with pytest.raises(HTTPError, match="404") as missing:
        direct.open(f"{address}/nothing")
    missing.value.close()
    foreign = urllib.request.Request(address, headers={"Host": "example.org"})
    with pytest.raises(HTTPError, match="403") as refused:
        direct.open(foreign)
    refused.value.close()


def test_a_taken_port_is_told(address: str) -> None:
    with pytest.raises(ReportError, match="choose a --port"):
        make_server(Library(), int(address.rsplit(":", 1)[1]))


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_ports_have_a_range(folder: Path, port: str) -> None:
    app = make_app("")
    app.command()(page(view))
    result = RUNNER.invoke(app, [str(folder), "--no-browser", "--port", port])
    assert result.exit_code == 2
    assert "--port" in result.output


def test_cells_are_escaped_and_numbers_readable() -> None:
    html = table("a & b", ("<x>",), [("<script>",), ("`if (a < b)",)]).html
    assert "<script>" not in html
    assert "<code>if (a &lt; b)</code>" in html
    assert [number(v) for v in (None, 1234, 1234.0, 0.12345, 12345.6)] == [
        "-", "1,234", "1,234", "0.1235", "12,346"
    ]  # fmt: skip
