"""A real browser for pages: headless Chromium, with what it saw as data.

The page stands in frames of the widths asked for, inside a page that reads them when they are
ready; Chromium prints that page's document and, among its messages, the consoles of all.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path

import pytest

SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--virtual-time-budget=60000",
    "--dump-dom",
)
SECONDS = 180  # a slow machine's start of Chromium included
NAMES = ("chromium", "chromium-browser", "google-chrome")
_READ = """
const frames = [...document.querySelectorAll("iframe")];
const read = (frame) => {
  const page = frame.contentDocument, root = page.documentElement;
  const plots = [...page.querySelectorAll(".plot")];
  return {
    ready: root.dataset.ready === "yes",
    figures: plots.length,
    drawn: plots.filter((plot) => plot.dataset.drawn && plot.querySelector(".main-svg")).length,
    overflow: root.scrollWidth - root.clientWidth,
    theme: getComputedStyle(page.body).backgroundColor,
    cut: [...page.querySelectorAll(".plot .infolayer [class$=title]")].filter((item) => {
      const box = item.getBoundingClientRect();
      const room = item.closest(".plot").getBoundingClientRect();
      return box.left < room.left - 1 || box.right > room.right + 1;
    }).map((item) => item.textContent),
    captions: [...page.querySelectorAll("figcaption")].map((item) => item.textContent),
  };
};
const wait = (left) => {
  const seen = frames.map(read);
  if (left && !seen.every((item) => item.ready)) return setTimeout(() => wait(left - 1), 250);
  document.getElementById("seen").textContent = JSON.stringify(seen);
};
addEventListener("load", () => wait(200));
"""


@dataclass(frozen=True)
class Seen:
    """What one frame held when every figure was drawn, or time was up.

    ``overflow`` is how many pixels the page is wider than its frame, ``cut`` the titles of axes
    that reach out of their figure.
    """

    ready: bool
    figures: int
    drawn: int
    overflow: int
    theme: str
    cut: list[str]
    captions: list[str]


@dataclass(frozen=True)
class Visit:
    """What was seen at each width, and the errors in the consoles."""

    frames: list[Seen]
    errors: list[str]


def find_chromium() -> str:
    """The browser's path; skips the test where there is none."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium here; on Debian: apt-get install chromium")
    return found


def visit(html: str, widths: Sequence[int]) -> Visit:
    """Open a page at several widths at once."""
    browser = find_chromium()
    frames = "".join(
        f'<iframe style="width:{width}px;height:2000px" srcdoc="{escape(html)}"></iframe>'
        for width in widths
    )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        outer = Path(folder) / "outer.html"
        outer.write_text(
            f'<!DOCTYPE html><meta charset="utf-8"><pre id="seen"></pre>{frames}'
            f"<script>{_READ}</script>",
            encoding="utf-8",
        )
        command = [browser, *SWITCHES, f"--user-data-dir={folder}/profile", outer.as_uri()]
        result = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    found = re.search(r'<pre id="seen">(.*?)</pre>', result.stdout, re.DOTALL)
    assert found is not None, result.stderr
    assert found[1], f"the frames were never read: {result.stderr}"
    seen = [Seen(**item) for item in json.loads(unescape(found[1]))]
    return Visit(seen, re.findall(r"CONSOLE\S*\] (.*)", result.stderr))
