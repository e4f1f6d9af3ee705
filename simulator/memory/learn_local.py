"""The second pass over a batch: new shapes of local memory.

Each learner is compiled when a kernel first needs it. It visits the rows that the first pass left,
picks its own, applies the rules to shapes it has not seen, and returns how many rows it counted.
"""

from __future__ import annotations

from simulator.jit import compiled, int64
from simulator.memory.fields import (
    LOCAL_BYTES,
    LOCAL_IDEAL,
    LOCAL_REQUESTS,
    LOCAL_SECTORS,
    LOCAL_TAGS,
)
from simulator.memory.known import Rows
from simulator.memory.local import count_local
from simulator.memory.lower import LOCAL, WIDTH
from simulator.memory.memo import (
    FIRST,
    MASK,
    Memo,
    Words,
    find_access,
    find_or_learn,
    find_space,
    get_static,
)
from simulator.memory.vector import LANES


@compiled
def learn_local(words: Words, rows: Rows, memo: Memo) -> int:
    """Local loads and stores."""
    counted = 0
    for row in rows:
        if find_space(words, row) != LOCAL:
            continue
        access = find_access(memo, words, row)
        slot = find_or_learn(memo, words, row, access)
        if slot < 0:
            slot = ~slot
            width = get_static(memo, words, row, WIDTH)
            shape = memo.shapes[slot, FIRST : FIRST + LANES]
            numbers = count_local(shape, int64(words[row, MASK]), width)
            memo.counts[slot, LOCAL_REQUESTS] = numbers[0]
            memo.counts[slot, LOCAL_SECTORS] = numbers[1]
            memo.counts[slot, LOCAL_IDEAL] = numbers[2]
            memo.counts[slot, LOCAL_TAGS] = numbers[3]
            memo.counts[slot, LOCAL_BYTES] = numbers[4]
        memo.hits[slot] += 1
        counted += 1
    return counted
