"""Do pages work in a real browser: every figure drawn, no error, nothing wider than the window?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from reports.data.ladder import find_climbs, ladder_steps
from reports.data.launch_times import TimePair
from reports.page import Page, Section, render_page
from reports.pages.accuracy import accuracy_page
from reports.pages.claims import claims_page
from reports.pages.diff import diff_page
from reports.pages.heatmap import heatmap_page
from reports.pages.kernel import kernel_page
from simulator.results import Issue, LaunchTime, Run, Sampling, Timeline, Timing
from simulator.roofline import find_roofline
from simulator.shared_report import shared_instructions
from tests.reports.browser import visit
from tests.reports.samples import make_answers, make_comparison
from tests.simulator.runs import FINDING, make_run

WIDTHS = (1280, 390)
MEGABYTES = 1_000_000


def whole_run() -> Run:
    """The hand-made run with roofline, time and a finding whose text could be taken for markup."""
    units = {1: (16,) * 32, 2: tuple(range(32)), 3: (64,) * 32}
    run = make_run(
        bank_pressure=units,
        findings=(replace(FINDING, message="a < b & <script>alert(1)</script>"),),
    )
    stalls, rows = {"barrier": 2.0, "wait": 1.0}, {2: {"barrier": 20}}
    warm = Timing(10.0, 8.0, 12.0, 100, 110, 0.5, 0.5, stalls, {"pipe_fma": 0.5}, rows)
    issues = (Issue(0, 2, 103, (("barrier", 2),)), Issue(1, 3, 105, (("wait", 2),)))
    window = Timeline(100, 110, ((0, 0), (0, 1)), issues)
    time = LaunchTime(warm, warm, ("a number",), {}, window)
    return replace(run, roofline=find_roofline(run), time=time)


def whole_accuracy() -> Page:
    """A comparison with its ladder and times."""
    steps = ladder_steps(find_climbs(make_comparison()), {})
    pairs = (TimePair("k-n10", "cold", 11.0, 10.0), TimePair("k-n10", "warm", 9.0, 10.0))
    return accuracy_page(make_comparison(), steps, pairs)


PAGES: dict[str, Callable[[], Page]] = {
    "heatmap": lambda: heatmap_page(whole_run()),
    "kernel": lambda: kernel_page(whole_run()),
    "diff": lambda: diff_page(whole_run(), replace(whole_run(), registers=64, device="h200")),
    "accuracy": lambda: whole_accuracy(),
    "claims": lambda: claims_page(make_answers()),
}


@pytest.mark.parametrize("name", PAGES)
def test_every_figure_is_drawn(name: str) -> None:
    page = PAGES[name]()
    html = render_page(page)
    assert len(html.encode()) < 6 * MEGABYTES
    seen = visit(html, WIDTHS)
    assert seen.errors == []
    assert len(page.drawings()) > 0
    for frame in seen.frames:
        assert frame.ready
        assert (frame.figures, frame.drawn) == (len(page.drawings()),) * 2
        assert frame.overflow <= 0
        assert frame.cut == []
        captions = zip(frame.captions, page.drawings(), strict=True)
        assert all(caption.startswith(drawing.title) for caption, drawing in captions)


def test_a_run_without_bank_counts_says_so_and_one_with_says_of_what() -> None:
    counted, sampled = Sampling(1, 1, "all blocks", ""), Sampling(8, 2, "checked", "")
    for run, words in (
        (make_run(), "The banks were not counted in this run"),
        (make_run(bank_pressure={2: (1,) * 32}, sampling=counted), "of the launch is counted"),
        (make_run(bank_pressure={2: (1,) * 32}, sampling=sampled), "scaled to the launch"),
    ):
        notes = [drawing.note for drawing in heatmap_page(run).drawings()]
        assert sum(words in note for note in notes) == 1


def test_nothing_can_be_fetched_and_the_browser_says_so() -> None:
    """The check above sees errors at all: a page that tries to fetch is stopped and told."""
    page = Page("Outside", "", (Section("One", ()),))
    html = render_page(page).replace("</main>", '<img src="https://example.org/a.png"></main>')
    seen = visit(html, (800,))
    assert any("Content Security Policy" in error for error in seen.errors)


def test_shared_instructions_of_the_sample_conflict() -> None:
    """The sample has what the heatmap page is about."""
    assert any(record.bank_conflicts for record in shared_instructions(whole_run()))
