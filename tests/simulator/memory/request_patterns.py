"""Hypothesis strategies for memory requests."""

from __future__ import annotations

from hypothesis import strategies as st

FULL = 0xFFFFFFFF

widths = st.sampled_from([1, 2, 4, 8, 16])
masks = st.one_of(
    st.just(FULL),
    st.integers(1, FULL),
    st.sampled_from([0xFFFF, 0xFFFF0000, 0x55555555, 0xFF, 1 << 31, 0xFFFFFFFE, 0x7FFFFFFF]),
)


@st.composite
def offsets(draw: st.DrawFn, width: int, span: int = 4096) -> list[int]:
    """32 aligned offsets: strided, tiled, hot or random."""
    units = span // width
    kind = draw(st.sampled_from(["stride", "tile", "hot", "pairs", "random"]))
    if kind == "stride":
        step, start = draw(st.integers(0, 64)), draw(st.integers(0, 64))
        values = [start + lane * step for lane in range(32)]
    elif kind == "tile":
        columns = draw(st.sampled_from([2, 4, 8, 16]))
        across, down = draw(st.integers(0, 33)), draw(st.integers(0, 65))
        values = [lane % columns * across + lane // columns * down for lane in range(32)]
    elif kind == "hot":
        places = draw(st.lists(st.integers(0, units - 1), min_size=1, max_size=4))
        values = draw(st.lists(st.sampled_from(places), min_size=32, max_size=32))
    elif kind == "pairs":
        distance = draw(st.sampled_from([1, 2]))
        places = draw(st.lists(st.integers(0, units - 1), min_size=32, max_size=32))
        values = [places[lane & ~distance] for lane in range(32)]
    else:
        values = draw(st.lists(st.integers(0, units - 1), min_size=32, max_size=32))
    return [value * width for value in values]


@st.composite
def requests(draw: st.DrawFn) -> tuple[list[int], int, int]:
    """Offsets, width and mask."""
    width = draw(widths)
    return draw(offsets(width)), width, draw(masks)
