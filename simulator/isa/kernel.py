"""A kernel as machine code: what every front end produces and the emulator runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

INSTRUCTION_BYTES = 16


class OperandKind(Enum):
    """What an operand names."""

    REGISTER = "R"  # value = index; RZ is index 255
    UNIFORM_REGISTER = "UR"  # value = index; URZ is index 255
    PREDICATE = "P"  # value = index; PT is 7
    UNIFORM_PREDICATE = "UP"  # value = index; UPT is 7
    IMMEDIATE = "imm"  # value = integer as written (may be negative)
    FLOAT = "float"  # number = the float as written (INF and QNAN included)
    CONSTANT = "c"  # bank = bank number, value = byte offset, base = optional register
    MEMORY = "mem"  # base, uniform, value = byte offset: [R2.64+UR4+0x10]
    SPECIAL = "SR"  # name = SR_TID.X, SR_LANEID, SR_CLOCKLO ...
    BARRIER = "B"  # value = index of a convergence barrier register
    SCOREBOARD = "SB"  # value = index of a scoreboard
    LABEL = "label"  # value = absolute byte address of a branch target
    OTHER = "other"  # name = the text; the emulator refuses it where it matters


RZ = 255
PT = 7


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand with its prefix operators and suffix modifiers.

    ``negate`` is a leading ``-`` (arithmetic), ``invert`` a leading ``~`` (bitwise) or ``!``
    (predicates), ``absolute`` the ``|x|`` around it. ``modifiers`` are the dot suffixes in order
    (``("64",)``, ``("H0_H0",)``, ``("reuse",)`` is dropped into ``reuse``).
    """

    kind: OperandKind
    text: str
    value: int = 0
    number: float = 0.0
    name: str = ""
    bank: int = 0
    negate: bool = False
    invert: bool = False
    absolute: bool = False
    reuse: bool = False
    modifiers: tuple[str, ...] = ()
    base: Operand | None = None  # MEMORY, CONSTANT: the register part of the address
    uniform: Operand | None = None  # MEMORY: the uniform register part; CONSTANT cx[UR4]: the bank
    descriptor: Operand | None = None  # MEMORY desc[UR4][...]: the descriptor (ignored by replay)


@dataclass(frozen=True, slots=True)
class Control:
    """The control code of one instruction (layout: sm_70 and later, 21 bits from bit 105)."""

    stall_count: int
    yield_flag: bool
    write_scoreboard: int | None
    read_scoreboard: int | None
    wait_mask: int
    reuse_mask: int


class Space(Enum):
    """Memory spaces an instruction can touch."""

    SHARED = 0
    GLOBAL = 1
    LOCAL = 2
    GENERIC = 3


class AccessKind(Enum):
    """What a memory instruction does; picks the counting rule."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"  # ATOMS/ATOMG/ATOM other than those below; returns the old value
    REDUCTION = "reduction"  # RED/REDG: no return value
    ATOMIC_CAS = "cas"
    POPC_INC = "popc_inc"  # ATOMS.POPC.INC
    CAST_SPIN = "cast_spin"  # ATOMS.CAST.SPIN
    MATRIX_LOAD = "ldsm"
    MATRIX_STORE = "stsm"
    ASYNC_COPY = "ldgsts"  # LDGSTS (cp.async.ca): two events, the shared target then the source
    ASYNC_COPY_BYPASS = "ldgsts_bypass"  # LDGSTS.BYPASS (cp.async.cg)


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """The static part of a memory instruction: where it goes, what it does, bytes per lane.

    ``matrices`` is 1, 2 or 4 for LDSM/STSM and 0 elsewhere.
    """

    space: Space
    kind: AccessKind
    width_bytes: int
    matrices: int = 0


@dataclass(frozen=True, slots=True)
class SourceLine:
    """Where an instruction comes from in the CUDA source."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Instruction:
    """One SASS instruction.

    ``opcode`` is the base opcode (``LDG``), ``modifiers`` its dot suffixes in order
    (``("E", "128")``). ``predicate`` is the guard (None when always executed), a second guard of a
    branch is an ordinary first operand.
    """

    index: int
    address: int
    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    predicate: Operand | None
    text: str
    control: Control | None = None
    source: SourceLine | None = None
    access: MemoryAccess | None = None

    @property
    def form(self) -> str:
        """Opcode with modifiers, as the disassembler prints it."""
        return ".".join((self.opcode, *self.modifiers))

    @property
    def place(self) -> str:
        """Where it stands, for messages: file and line, else its address."""
        line = self.source
        return f"{line.file}:{line.line}" if line else f"instruction {self.address:#x}"

    def has(self, modifier: str) -> bool:
        """Whether the opcode carries this dot suffix."""
        return modifier in self.modifiers


PREDICATES = (OperandKind.PREDICATE, OperandKind.UNIFORM_PREDICATE)


def second_predicates(branch: Instruction) -> tuple[Operand, ...]:
    """The predicates that a branch takes beside its guard; none of any other instruction."""
    if branch.opcode not in ("BRA", "JMP"):
        return ()
    return tuple(o for o in branch.operands if o.kind in PREDICATES)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A kernel parameter: byte offset inside the parameter area and size in bytes."""

    index: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Relocation:
    """An address that whoever loads the kernel writes into it.

    ``section`` is the ELF section (``.nv.constant4``, ``.nv.global.init``, ``.text.<kernel>``),
    ``offset`` the byte offset in it, ``kind`` the ELF relocation type (2 and 4: the whole 64-bit
    address, little-endian), ``symbol`` a name of ``Kernel.global_symbols`` or another symbol.
    """

    section: str
    offset: int
    kind: int
    symbol: str
    addend: int


class ArrayPassing(Enum):
    """How a kernel's parameters hold an array of the launch."""

    POINTER = "pointer"  # its address
    NUMBA = "numba"  # two empty words, elements, bytes each, address, shape, strides


@dataclass(frozen=True, slots=True)
class Spills:
    """Local-memory spills as ptxas reports or notes them, in bytes a thread."""

    store_bytes: int
    load_bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A kernel ready to be replayed or loaded on a GPU.

    ``constants`` maps a constant bank to its initial bytes as the cubin has them (bank 0 without
    launch values; banks 3 and 4 for ``__constant__`` data and literals). ``parameter_base`` is the
    byte offset of the parameters in constant bank 0. ``cubin`` are the very bytes a GPU runs;
    ``program_hash`` is the SHA-256 of the kernel's code section and of its constants.
    ``spills`` is None when nobody can know (a cubin of an older compiler). ``global_symbols`` are
    the module's ``__device__`` variables: name -> (byte offset in the module's global data, size,
    initial bytes; empty when zeroed); ``relocations`` say where their addresses go. ``functions``
    are the byte addresses of the kernel itself and of what it calls.
    """

    name: str
    architecture: int  # 89 for sm_89
    instructions: tuple[Instruction, ...]
    registers: int
    static_shared_bytes: int
    stack_bytes: int
    barriers: int
    parameters: tuple[Parameter, ...]
    parameter_base: int
    cubin: bytes = field(repr=False)
    program_hash: str = ""
    compiler: str = ""
    spills: Spills | None = None
    constants: dict[int, bytes] = field(default_factory=dict, repr=False)
    global_symbols: dict[str, tuple[int, int, bytes]] = field(default_factory=dict, repr=False)
    relocations: tuple[Relocation, ...] = field(default=(), repr=False)
    source_text: dict[str, str] = field(default_factory=dict, repr=False)
    max_threads: int | None = None
    array_passing: ArrayPassing = ArrayPassing.POINTER
    functions: dict[str, int] = field(default_factory=dict, repr=False)

    def instruction_at(self, address: int) -> Instruction:
        """The instruction at a byte address of the kernel."""
        return self.instructions[address // INSTRUCTION_BYTES]
