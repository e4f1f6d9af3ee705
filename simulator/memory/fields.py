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
    "local_tags",
    "local_bytes_used",
    "global_sectors_hardware",
    "global_tags_hardware",
    "global_output_wavefronts",
)

SHARED_REQUESTS = 0
SHARED_PAGE = 1
SHARED_IDEAL = 2
SHARED_HARDWARE = 3
BANK_CONFLICTS = 4
GLOBAL_REQUESTS = 5
GLOBAL_SECTORS = 6
GLOBAL_IDEAL = 7
GLOBAL_TAGS = 8
GLOBAL_BYTES = 9
LOCAL_REQUESTS = 10
LOCAL_SECTORS = 11
LOCAL_TAGS = 12
LOCAL_BYTES = 13
SECTORS_HARDWARE = 14
TAGS_HARDWARE = 15
OUTPUT_WAVEFRONTS = 16
FIELD_COUNT = len(FIELDS)
