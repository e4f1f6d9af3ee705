"""Which slice of L2 a line belongs to.

Found on an NVIDIA H200 by reductions of all SMs to 1 to 131072 neighbouring lines and to 16 lines
of 13 strides: the more slices, the faster. Four lines of a KiB share a slice; 16 KiB take up to 32
slices, the next 16 KiB the same ones in another order, then others; strides do not meet. The
function below has these properties, and three quarters of what it predicts was measured: 25
slices' worth for 256 lines, 49 for 1024, 12 to 15 for strides of 1 to 16 KiB. The real one is not
known, and it also depends on where a buffer lies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_GROUPS = 32  # of four lines, in 16 KiB


def slices_of(lines: NDArray[np.int64], slices: int) -> NDArray[np.int32]:
    """The slice of each line (numbers of 128-byte lines)."""
    group = (lines >> 3) * 2 + (lines >> 1 & 1)
    place, block = group % _GROUPS, group // _GROUPS
    turned = place ^ (block * 5 % _GROUPS)
    found: NDArray[np.int32] = ((turned + _GROUPS // 2 * (block >> 1)) % slices).astype(np.int32)
    return found
