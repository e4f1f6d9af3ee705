"""Does a page show every number whole at any width, in colour only on a terminal?"""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from simulator.render import number, percent, render_banks, render_devices
from tests.simulator.runs import FINDING, INSTRUCTIONS, make_run, shared


def printed(renderable: RenderableType, width: int, colour: bool = False) -> str:
    """What a console of that width shows."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=colour, highlight=False)
    console.print(renderable)
    return buffer.getvalue()


def page(width: int, **changes: object) -> str:
    """The page of the hand-made run."""
    run = make_run(**changes)
    return printed(render_banks(run, lambda *_: "lanes 0-15 hit 4 banks at stride 8"), width)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_line_is_wider_than_the_console(width: int) -> None:
    assert max(len(line) for line in page(width).splitlines()) <= width


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("requests", [1, 123_456_789, 1_234_567_890, 1_234_567_890_123])
def test_large_numbers_and_brackets_are_never_cut(width: int, requests: int) -> None:
    big = shared(9, "LDS.U.128 R116, [R120+UR4+0x3f80]", 8, requests, 1, 8)
    text = page(width, instructions=(*INSTRUCTIONS, big))
    table = text[text.index("line ") : text.index("Bank conflicts")].replace(",", "")
    assert "…" not in text
    assert {"executed", "wavefronts", "ideal", "conflicts", "n-way"} <= set(table.split())
    row = [str(requests * factor) for factor in (1, 8, 1, 7)]
    assert " ".join([*row, "8"]) in " ".join(table.split())
    last = table[table.rindex(" 8 LDS.U" if " 8 LDS.U" in table else " 8  LDS.U") :]
    folded = "".join(w for w in last.split("total")[0].split() if w not in (*row, "8"))
    assert folded == "LDS.U.128R116[R120+UR4+0x3f80]"


def test_row_of_an_instruction() -> None:
    rows = [line.split() for line in page(120).splitlines() if "R2+0x1000" in line]
    assert rows == [["8", "LDS", "R5,", "[R2+0x1000]", "16", "64", "16", "48", "4"]]


def test_page_says_what_was_replayed_and_why() -> None:
    text = page(120)
    assert "k on NVIDIA GeForce RTX 4090 (sm_89)" in text
    assert "1 of 1 block, all blocks: the launch is small" in text
    assert "8,192 B static" in text


def test_worst_lines_show_source_and_reading() -> None:
    text = page(120)
    assert "k.cu:8  float y = Bs[0][8 * tx] + Bs[1][8 * tx];" in text
    assert "2 instructions, 4-way, 96 conflicts (100% of all)" in text
    assert "lanes 0-15 hit 4 banks at stride 8" in text


def test_findings_come_before_the_table_one_a_source_line() -> None:
    other = replace(FINDING, pc=0x50, source_line=10, message="4-byte global store at 0x8", count=1)
    text = page(120, findings=(FINDING, replace(FINDING, pc=0x60, count=1997), other))
    text = " ".join(text.replace("│", "").split())
    assert text.index("3 findings: this kernel is wrong") < text.index("SASS")
    assert "k.cu:7 float x = As[0][tx]; memcheck: 4-byte read 8 bytes past" in text
    assert "2,000 times in 2 instructions; first: pc 0x0040, block 0,0,0, thread 31,0,0" in text
    assert "k.cu:10 out[tx] = x; memcheck: 4-byte global store at 0x8 1 time; first" in text


def test_many_findings_are_cut_and_said_to_be() -> None:
    many = tuple(replace(FINDING, source_line=line) for line in range(1, 9))
    text = page(80, findings=many)
    assert "and 3 more lines; --json saves all findings" in text


def test_kernel_without_shared_memory() -> None:
    text = page(80, instructions=INSTRUCTIONS[4:6])
    assert text.rstrip(" \n").endswith("No shared-memory instruction in this kernel.")
    assert not text.endswith("\n\n")
    assert "Shared memory" not in text


def test_machine_code_without_lines_says_how_to_get_them() -> None:
    bare = tuple(replace(i, source_file=None, source_line=None) for i in INSTRUCTIONS)
    text = page(120, instructions=bare)
    assert "no source line (compile with -lineinfo)" in text[text.index("Bank conflicts") :]


def test_kernel_without_conflicts() -> None:
    assert "No bank conflicts." in page(80, instructions=INSTRUCTIONS[:2], examples=())


def test_unknown_things_are_said_to_be_unknown() -> None:
    text = page(80, spill_store_bytes=None, spill_load_bytes=None, device="x9000", compiler="")
    assert "spills unknown" in text
    assert "on x9000" in text
    assert "given cubin" in text


def test_colour_only_when_asked_for() -> None:
    run = make_run()
    assert "\x1b[" in printed(render_banks(run, lambda *_: ""), 80, colour=True)
    assert "\x1b[" not in page(80)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1234567, "1,234,567"),
        (2.25, "2.25"),
        (17.04, "17"),
        (1234.56, "1234.6"),
        (704469674.7, "704,469,675"),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.004, "under 1%"), (0.5, "50%"), (0.9999, "over 99%"), (1, "100%")],
)
def test_percent_never_rounds_to_none_or_all(share: float, text: str) -> None:
    assert percent(share) == text


def test_device_list_fits_in_80_columns() -> None:
    text = printed(render_devices(), 80)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "NVIDIA GeForce RTX 4090" in text
