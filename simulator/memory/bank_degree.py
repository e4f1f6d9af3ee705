"""Counting per bank: 32 counters side by side, one bit a bank.

Six words hold the binary digits of the 32 counts, so that adding to any bank is a few logical
operations without memory.
"""

from __future__ import annotations

from simulator.jit import inlined, int64, step
from simulator.memory.lanes import FULL, Addresses, bank_bits, unit_bits
from simulator.memory.vector import lowest_lane, same_lanes

Digits = tuple[int, int, int, int, int, int]  # ones, twos, fours, eights, sixteens, thirty-twos


@inlined
def add(digits: Digits, carry: int) -> Digits:
    """Count one more in the banks whose bits are set."""
    ones, twos, fours, eights, sixteens, thirtytwos = digits
    ones, carry = ones ^ carry, ones & carry
    twos, carry = twos ^ carry, twos & carry
    fours, carry = fours ^ carry, fours & carry
    eights, carry = eights ^ carry, eights & carry
    sixteens, carry = sixteens ^ carry, sixteens & carry
    return ones, twos, fours, eights, sixteens, thirtytwos | carry


@inlined
def keep_largest(banks: int, digit: int) -> int:
    """Of some banks those that have a digit, or all if none has it."""
    return banks & digit if banks & digit else banks


@step
def largest(digits: Digits) -> int:
    """The largest of the 32 counts."""
    ones, twos, fours, eights, sixteens, thirtytwos = digits
    banks = keep_largest(int64(FULL), thirtytwos)
    banks = keep_largest(banks, sixteens)
    banks = keep_largest(banks, eights)
    banks = keep_largest(banks, fours)
    banks = keep_largest(banks, twos)
    banks = keep_largest(banks, ones)
    one = banks & -banks
    count = 32 * (thirtytwos & one != 0) + 16 * (sixteens & one != 0) + 8 * (eights & one != 0)
    return count + 4 * (fours & one != 0) + 2 * (twos & one != 0) + (ones & one != 0)


@step
def lane_degree(addresses: Addresses, lanes: int, width: int) -> int:
    """Most of these lanes in any bank; an address asked for twice counts twice."""
    bits = bank_bits(width)
    digits = (0, 0, 0, 0, 0, 0)
    while lanes:
        lane = lowest_lane(lanes)
        lanes &= lanes - 1
        digits = add(digits, 1 << ((int64(addresses[lane]) & bits) >> 2))
    return largest(digits)


@step
def bank_degree(addresses: Addresses, lanes: int, width: int) -> int:
    """Most distinct units in any bank among ``lanes``; equal units are one access."""
    bits = bank_bits(width)
    units = unit_bits(width)
    digits = (0, 0, 0, 0, 0, 0)
    left = lanes
    while left:
        lane = lowest_lane(left)
        left &= left - 1
        earlier = same_lanes(addresses, lane, units) & lanes & ((1 << lane) - 1)
        is_first = int64(earlier == 0)
        digits = add(digits, is_first << ((int64(addresses[lane]) & bits) >> 2))
    return largest(digits)
