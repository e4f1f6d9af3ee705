"""Reading and checking problem sizes, and the block counts that cover them.

The kernels index with 32-bit signed integers, so no buffer may hold 2**31 elements or more.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping

from kernels.errors import SizeError

Sizes = Mapping[str, int]

INDEX_LIMIT = 2**31
MAX_GRID_YZ = 65535  # CUDA's limit of gridDim.y and gridDim.z; gridDim.x reaches 2**31 - 1


def dimension(sizes: Sizes, name: str, *, multiple_of: int = 1) -> int:
    """The size called ``name``: a positive integer, a multiple of ``multiple_of``.

    Raises SizeError when it is missing or anything else.
    """
    if name not in sizes:
        raise SizeError(name, f"size {name!r} is missing; give it as {name}=...")
    value = sizes[name]
    try:
        size = operator.index(value)
    except TypeError:
        raise SizeError(name, f"size {name}={value!r} is not an integer") from None
    if isinstance(value, bool) or not 0 < size < INDEX_LIMIT:
        raise SizeError(name, f"size {name}={value} must be an integer from 1 to 2**31 - 1")
    if size % multiple_of:
        near = max(multiple_of, round(size / multiple_of) * multiple_of)
        raise SizeError(name, f"size {name}={size} must be a multiple of {multiple_of}; try {near}")
    return size


def require_indexable(**dimensions: int) -> None:
    """Refuse a buffer (given by its named dimensions) that a 32-bit index cannot address."""
    if math.prod(dimensions.values()) >= INDEX_LIMIT:
        largest = max(dimensions, key=lambda name: dimensions[name])
        product = " x ".join(f"{name}={size}" for name, size in dimensions.items())
        raise SizeError(
            largest,
            f"a buffer of {product} elements is beyond a 32-bit index; make {largest} smaller",
        )


def blocks_for(name: str, size: int, per_block: int, *, limit: int = INDEX_LIMIT - 1) -> int:
    """Blocks of ``per_block`` elements that cover ``size``, at most ``limit`` of them."""
    blocks = -(-size // per_block)
    if blocks > limit:
        raise SizeError(
            name,
            f"size {name}={size} needs {blocks} blocks along one grid axis, which takes {limit}; "
            f"make {name} at most {limit * per_block}",
        )
    return blocks
