"""Which kernel does a name mean?"""

from __future__ import annotations

import pytest

from simulator.errors import InputError, UnknownNameError
from simulator.frontends.entry import find_entry, plain_name, shown_name

ENTRIES = ("plain", "_Z6scalarPf", "_ZN5outer5inner6kernelEPf", "_Z4castIfEvPT_", "_Z4castIdEvPT_")


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("plain", "plain"),
        ("_Z6scalarPf", "scalar"),
        ("_ZN5outer5inner6kernelEPf", "outer::inner::kernel"),
        ("_Z4castIfEvPT_", "cast"),
        ("_ZN1n1tILi64EfEEvPT0_", "n::t"),
        ("_ZN12_GLOBAL__N_16hiddenEPf", "hidden"),
        ("_ZL6staticPf", "static"),
        ("_Z", "_Z"),
    ],
)
def test_plain_name(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name


def test_templates_are_shown_as_such() -> None:
    assert shown_name("_ZN1n1tILi64EfEEvPT0_") == "n::t<...>"
    assert shown_name("_Z4castIfEvPT_") == "cast<...>"
    assert [shown_name(name) for name in ("_Z6scalarPf", "plain")] == ["scalar", "plain"]


@pytest.mark.parametrize(
    ("wanted", "symbol"),
    [
        ("plain", "plain"),
        ("scalar", "_Z6scalarPf"),
        ("_Z6scalarPf", "_Z6scalarPf"),
        ("kernel", "_ZN5outer5inner6kernelEPf"),
        ("inner::kernel", "_ZN5outer5inner6kernelEPf"),
        ("_Z4castIdEvPT_", "_Z4castIdEvPT_"),
    ],
)
def test_found(wanted: str, symbol: str) -> None:
    assert find_entry(ENTRIES, wanted, "k.cubin") == symbol


def test_a_single_kernel_needs_no_name() -> None:
    assert find_entry(("_Z6scalarPf",), None, "k.cubin") == "_Z6scalarPf"


def test_names_that_fit_one_kernel_each_are_listed_plain() -> None:
    with pytest.raises(InputError, match="kernels: outer::inner::kernel, plain, scalar; name"):
        find_entry(ENTRIES[:3], None, "k.cubin")


def test_several_kernels_need_one() -> None:
    with pytest.raises(InputError, match=r"k\.cubin has several kernels: .*plain; name one"):
        find_entry(ENTRIES, None, "k.cubin")


def test_an_ambiguous_name_lists_the_symbols() -> None:
    with pytest.raises(InputError, match="_Z4castIdEvPT_, _Z4castIfEvPT_"):
        find_entry(ENTRIES, "cast", "k.cubin")


def test_an_unknown_name_suggests_the_closest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean scalar"):
        find_entry(ENTRIES, "scaler", "k.cubin")


def test_part_of_a_name_does_not_do() -> None:
    with pytest.raises(UnknownNameError):
        find_entry(("_ZN5outer6kernelEPf",), "ernel", "k.cubin")


def test_no_kernel_at_all() -> None:
    with pytest.raises(InputError, match="no kernel"):
        find_entry((), None, "k.cu")
