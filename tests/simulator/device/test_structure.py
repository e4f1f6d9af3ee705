"""Are the numbers that compiled loops are made for those of the data files?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.device import device_names, load_device
from simulator.device.lending import LENDER
from simulator.device.structure import STRUCTURE, check_structure
from simulator.errors import DeviceDataError


@pytest.mark.parametrize("name", device_names())
def test_every_gpu_has_the_structure_or_is_lent_it(name: str) -> None:
    check_structure(name, load_device(name).facts)


@pytest.mark.parametrize("key", STRUCTURE)
def test_the_lender_knows_each_number(key: str) -> None:
    facts = load_device(LENDER).facts
    value = facts[key].value
    row = value if isinstance(value, tuple) else (value,)
    assert row[: len(STRUCTURE[key])] == STRUCTURE[key]
    other = replace(facts[key], value=tuple(2 * n for n in row))
    with pytest.raises(DeviceDataError, match=f"{key}.*can only simulate"):
        check_structure(LENDER, {**facts, key: other})


def test_tpcs_have_the_sms_that_the_chip_has() -> None:
    for name in device_names():
        device = load_device(name)
        if "tpc_count" in device.facts:
            tpcs, each = (device.facts[key].value for key in ("tpc_count", "sms_per_tpc"))
            assert isinstance(tpcs, int)
            assert isinstance(each, int)
            assert tpcs * each == device.sm_count
