"""Which slice of L2 a line belongs to.

Found on an NVIDIA H200 by reductions of all SMs to two lines up to 16384 apart, which take twice as
long where both are in one slice: one group of four lines in 96 is in the slice of the first. Four
lines of a KiB share a slice; 16 KiB take 32 slices, the next 16 KiB the same ones in another order,
then others. The function below has these properties; of the slices that it predicts, 0.78 are worth
their time (``timing_slice_evenness``): 24 for 128 lines and for 256, 49 for 1024, 76 for very many.
The real one is not known, and it also depends on where a buffer lies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def slices_of(lines: NDArray[np.int64], slices: int, groups: int) -> NDArray[np.int32]:
    """The slice of each line (numbers of 128-byte lines); so many ``groups`` of four lines, one
    after the other, lie in different ones."""
    group = (lines >> 3) * 2 + (lines >> 1 & 1)
    place, block = group % groups, group // groups
    turned = place ^ (block * 5 % groups)
    found: NDArray[np.int32] = ((turned + groups * (block >> 1)) % slices).astype(np.int32)
    return found
