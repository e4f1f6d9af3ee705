"""A part of the corpus on sm_86, sm_100 and sm_120, whose machine code differs in its forms."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import test_atomics
import test_control
import test_integers

CHECKS = (
    test_integers.test_division_of_64_bits,
    test_integers.test_arithmetic_of_64_bits,
    test_integers.test_packed_bytes,
    test_atomics.test_shared_atomics,
    test_atomics.test_compare_and_swap_loop,
    test_control.test_switch,
    test_control.test_jump_table,
    test_control.test_recursion,
)


@pytest.mark.parametrize("architecture", [86, 100, 120])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_corpus(check: Callable[[int], None], architecture: int) -> None:
    check(architecture)
