"""Where a warp's state lives: one int32 array a warp, shared by generated code and runtime.

A header of scalars comes first, then *rows* of 32 int32, one lane each: special rows, the seven
predicates (0 or -1 a lane), the convergence barriers and the registers. Generated code works on
eight lanes of a row at a time (one AVX2 vector); the runtime on whole rows.
"""

from __future__ import annotations

LANES = 32

# -- header: indices of scalars --------------------------------------------------------------
PC = 0  # basic block to run next
ACTIVE = 1  # lane mask of the running group
LIVE = 2  # lanes that have not exited
STATUS = 3  # READY, AT_BARRIER or DONE
GROUPS = 4  # number of entries in the group lists below
WARP = 5  # warp index inside its block
BLOCK = 6  # linear block index
BARRIER_ID = 7  # block barrier the warp waits at
BARRIER_THREADS = 8  # threads expected there; 0 = the whole block
BARRIER_VOTE = 9  # this warp's predicate lanes at a BAR.RED
CTAID = 10  # x, y, z
REDUCED = 13  # result of the last BAR.RED
SCRATCH = 14  # a scalar for generated code
UNIFORM_REGISTERS = 16  # 64 entries, URZ is never stored
UNIFORM_PREDICATES = 80  # 8 entries, 0 or -1
CALLER = 88  # instruction of the last indirect call
STRAY = 89  # code address outside the kernel that lanes went to
GROUP_PC = 104  # parked groups of lanes: basic block,
GROUP_MASK = 136  # lanes,
GROUP_WAIT = 168  # and what they wait for (see runtime.control)
GROUP_SYNC = 200  # lanes a WARPSYNC waits for
HEADER_WORDS = 256

# -- rows -------------------------------------------------------------------------------------
ROW_ACTIVE = 0  # the active mask as lanes
ROW_ZERO = 1  # always zero: RZ as an address
ROW_TID = 2  # x, y, z
ROW_LANE = 5
ROW_TEMP = 6  # scratch rows for multi-step instructions
TEMP_ROWS = 10
ROW_PREDICATE = 16  # P0..P6
ROW_CONVERGENCE = 24  # B0..B15: for each lane the lanes it is to meet there
ROW_REGISTER = 40  # R0...

# -- statuses ---------------------------------------------------------------------------------
READY = 0
AT_BARRIER = 1
DONE = 2

# -- context: indices of int64 entries shared by all warps of a worker --------------------------
X_SHARED = 0  # address of the block's shared memory
X_SHARED_BYTES = 1
X_GLOBAL = 2  # host address of the arena; device address GLOBAL_BASE maps to it
X_BUFFERS = 3  # address of int64[count][2]: first byte and end of each buffer, as arena offsets
X_BUFFER_COUNT = 4
X_LOCAL = 5  # address of local memory: [warp][word][lane]
X_LOCAL_BYTES = 6  # bytes a thread
X_EVENTS = 7  # address of the event buffer
X_EVENT_COUNT = 8
X_CONSTANTS = 9  # address of int64[bank count][2]: host address and size of each constant bank
X_PREDICATED_ON = 10  # address of int64[instruction][2]: lanes executed with a true guard; branches
# that take a second predicate also count those lanes for which both hold
X_BLOCK_OF_ADDRESS = 11  # address of int32[instruction]: basic block that starts there, or -1
X_LAST_BUFFER = 12  # address of int32[instruction]: the buffer it touched last
X_FAULTS = 13  # address of the fault records (see runtime.faults)
X_FAULT_COUNT = 14
X_CLOCK = 15  # a counter behind SR_CLOCK
X_BLOCK_DIM = 16  # x, y, z
X_GRID_DIM = 19  # x, y, z
X_INSTRUCTIONS = 22  # number of instructions
X_LOCAL_WARP_WORDS = 23  # int32 words of local memory a warp
X_SHARED_FIRST = 24  # first byte of shared memory a kernel may touch (0x400 from sm_90 on)
X_ARRIVALS = 25  # address of uint32[16]: threads that only arrived (BAR.ARV) at each barrier
X_STEPS = 26  # address of the step buffer, 0 when nobody reads steps
X_STEP_COUNT = 27
CONTEXT_WORDS = 32

# -- generic address windows ----------------------------------------------------------------------
SHARED_WINDOW_HIGH = 0x7E00  # high word of a generic address of shared memory
LOCAL_WINDOW_HIGH = 0x7D00


def warp_words(registers: int) -> int:
    """int32 words of one warp's state, a multiple of a row, for ``registers`` a thread.

    Three spare rows keep a 128-bit access at the last register in bounds.
    """
    return HEADER_WORDS + (ROW_REGISTER + registers + 4) * LANES
