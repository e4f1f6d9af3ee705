"""Which learners a kernel needs: a family of rules is compiled only when an instruction asks."""

from __future__ import annotations

from collections.abc import Callable

from simulator.isa.kernel import AccessKind, Kernel, MemoryAccess, Space
from simulator.memory.copies import learn_copies
from simulator.memory.known import Rows
from simulator.memory.learn_global import learn_global, learn_global_atomic
from simulator.memory.learn_local import learn_local
from simulator.memory.learn_shared import learn_shared, learn_shared_special
from simulator.memory.memo import Memo, Words

Learner = Callable[[Words, Rows, Memo], int]

PLAIN = (AccessKind.LOAD, AccessKind.STORE)
COPIES = (AccessKind.ASYNC_COPY, AccessKind.ASYNC_COPY_BYPASS)


def choose_learners(kernel: Kernel) -> list[Learner]:
    """The learners that the kernel's instructions can need, each once."""
    accesses = [i.access for i in kernel.instructions if i.access is not None]
    return list(dict.fromkeys(learner for access in accesses for learner in learners_of(access)))


def learners_of(access: MemoryAccess) -> list[Learner]:
    """The learners for one instruction: one a memory space it can touch."""
    if access.kind in COPIES:
        return [learn_copies]
    generic = access.space is Space.GENERIC
    spaces = (Space.SHARED, Space.GLOBAL, Space.LOCAL) if generic else (access.space,)
    return [learner_in(space, access.kind) for space in spaces]


def learner_in(space: Space, kind: AccessKind) -> Learner:
    """The learner of a kind of access in one memory space."""
    if space is Space.LOCAL:
        return learn_local
    if space is Space.SHARED:
        return learn_shared if kind in PLAIN else learn_shared_special
    return learn_global if kind in PLAIN else learn_global_atomic
