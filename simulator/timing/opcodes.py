"""Which unit runs an opcode, and how the scheduler treats it: a table.

The opcode-to-pipe table agrees with ncu's ``inst_executed_pipe`` counters on an NVIDIA H200.
"""

from __future__ import annotations

from simulator.isa.kernel import AccessKind, Instruction, Space

# Pipes of a sub-core. FMA is either half (heavy or lite), the two others only one of them.
NO_PIPE, FMA, FMA_HEAVY, ALU, XU, FP64, TENSOR, UNIFORM, CONTROL, FMA_LITE = range(10)
PIPE_NAMES = (
    "none", "fma", "fmaheavy", "alu", "xu", "fp64", "tensor", "uniform", "cbu", "fmalite",
)  # fmt: skip
PIPES = len(PIPE_NAMES)

# How the model treats an instruction.
(
    FIXED,  # result after a fixed time: the stall counts of its readers cover it
    VARIABLE,  # result through a scoreboard, no queue
    CONSTANT,  # through the queue to the address unit: LDC
    SPECIAL,  # the same and on to the load/store unit: special registers but the thread's number
    BARRIER,  # through the queue to the address unit
    BARRIER_ARRIVE,
    LSU_ONLY,  # goes through the load/store unit without a memory request: SHFL, S2R TID
    SHARED,
    LOAD,
    STORE,
    ATOMIC,
    ASYNC_COPY,
    DEPENDENCY_BARRIER,  # DEPBAR: waits until a scoreboard is low enough
    MEMORY_BARRIER,
) = range(14)

# Kinds that stand in a sub-core's queue, and those of them that go to the load/store unit.
QUEUED = tuple(range(CONSTANT, ASYNC_COPY + 1))
MEMORY = tuple(range(LSU_ONLY, ASYNC_COPY + 1))

_PIPES = {
    "FFMA FADD FMUL FFMA2 FADD2 FMUL2 FSWZADD": FMA,
    "IMAD IMUL VIADD IDP HADD2 HMUL2 HFMA2": FMA_HEAVY,
    "IADD3 LEA SHF LOP3 ISETP FSETP FMNMX MOV PLOP3 I2FP VIMNMX VIMNMX3 VIADDMNMX SEL FSEL P2R R2P"
    " PRMT IABS ISCADD BMSK SGXT VABSDIFF HSETP2 HMNMX2 FMNMX3 CS2R VOTE LOP SHL SHR IADD": ALU,
    "MUFU FCHK F2I I2F F2F FRND POPC FLO BREV F2FP": XU,
    "DFMA DADD DMUL DSETP DMNMX": FP64,
    "HMMA IMMA DMMA BMMA QGMMA HGMMA": TENSOR,
    "BSSY BSYNC EXIT CALL RET BRA WARPSYNC BREAK BRX JMX JMP": CONTROL,
}
_PIPE_OF = {name: pipe for names, pipe in _PIPES.items() for name in names.split()}
_THREAD_INDEX = ("SR_TID.X", "SR_TID.Y", "SR_TID.Z")

_KINDS = {
    "SHFL": LSU_ONLY,
    "LDC": CONSTANT,
    "S2R": SPECIAL,
    "S2UR": SPECIAL,
    "LDGDEPBAR": LSU_ONLY,  # its scoreboard is free when the warp's asynchronous copies are done
    "BAR": BARRIER,
    "DEPBAR": DEPENDENCY_BARRIER,
    "MEMBAR": MEMORY_BARRIER,
    "ERRBAR": FIXED,
}


def pipe_of(instruction: Instruction) -> int:
    """The pipe an instruction is issued to; ``NO_PIPE`` where none is known to limit it."""
    name = instruction.opcode
    if name in ("F2FP", "I2FP"):
        return ALU
    if name == "HFMA2" and instruction.has("MMA"):
        return FMA_LITE
    if name.startswith("U") and name not in ("UMOV", "ULDC"):
        return UNIFORM
    return _PIPE_OF.get(name, NO_PIPE)


def kind_of(instruction: Instruction) -> int:
    """How the model treats an instruction."""
    if instruction.access is not None:
        return _memory_kind(instruction)
    name = instruction.opcode
    if name == "BAR" and instruction.has("ARV"):
        return BARRIER_ARRIVE
    if name == "S2R" and any(o.name in _THREAD_INDEX for o in instruction.operands):
        return LSU_ONLY
    if name in _KINDS:
        return _KINDS[name]
    control = instruction.control
    has_result = control is not None and control.write_scoreboard is not None
    return VARIABLE if has_result else FIXED


def adds_floats(instruction: Instruction) -> bool:
    """Whether an instruction is an atomic on global memory that adds floating-point numbers."""
    floats = any(m.startswith(("F16", "BF16", "F32", "F64")) for m in instruction.modifiers)
    return floats and instruction.has("ADD") and kind_of(instruction) == ATOMIC


def _memory_kind(instruction: Instruction) -> int:
    access = instruction.access
    assert access is not None
    if access.kind in (AccessKind.ASYNC_COPY, AccessKind.ASYNC_COPY_BYPASS):
        return ASYNC_COPY
    if access.space is Space.SHARED:
        return SHARED
    if access.kind is AccessKind.LOAD:
        return LOAD
    return STORE if access.kind is AccessKind.STORE else ATOMIC
