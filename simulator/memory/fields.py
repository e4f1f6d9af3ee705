"""The columns of a count: what one request adds to its instruction's totals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]

# Names up to local_bytes_used are those of results.InstructionRecord. The rest are hardware counts:
# sectors and tags differ from the page's for atomics, whose L2 traffic they also are;
# global_output_wavefronts is l1tex's t_output_wavefronts of global requests.
FIELDS = (
    "shared_requests",
    "shared_wavefronts",
    "shared_wavefronts_ideal",
    "shared_wavefronts_hardware",
    "bank_conflicts",
    "global_requests",
    "global_sectors",
    "global_sectors_ideal",
    "global_tags",
    "global_bytes_used",
    "local_requests",
    "local_sectors",
    "local_sectors_ideal",
    "local_tags",
    "local_bytes_used",
    "global_sectors_hardware",
    "global_tags_hardware",
    "global_output_wavefronts",
)

(
    SHARED_REQUESTS,
    SHARED_PAGE,
    SHARED_IDEAL,
    SHARED_HARDWARE,
    BANK_CONFLICTS,
    GLOBAL_REQUESTS,
    GLOBAL_SECTORS,
    GLOBAL_IDEAL,
    GLOBAL_TAGS,
    GLOBAL_BYTES,
    LOCAL_REQUESTS,
    LOCAL_SECTORS,
    LOCAL_IDEAL,
    LOCAL_TAGS,
    LOCAL_BYTES,
    SECTORS_HARDWARE,
    TAGS_HARDWARE,
    OUTPUT_WAVEFRONTS,
) = range(len(FIELDS))
FIELD_COUNT = len(FIELDS)
