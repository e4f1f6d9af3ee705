"""Which operands read a bank of registers, and in which slot."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.frontends.cuda import compile_cuda
from simulator.isa.kernel import Instruction, OperandKind
from simulator.timing.operands import register_operands

SOURCE = """
extern "C" __global__ void mixed(int* x, const int* y) {
    int own = y[threadIdx.x];
    int other = __shfl_xor_sync(~0u, own, 3);
    int before = atomicAdd(x + (other & 15), own);
    if ((before ^ own) & other) x[own & 255] = other;
}
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> tuple[Instruction, ...]:
    path: Path = tmp_path_factory.mktemp("operands") / "mixed.cu"
    path.write_text(SOURCE)
    return compile_cuda(path, "mixed", "h200").instructions


def test_results_behind_a_predicate_are_not_read(code: tuple[Instruction, ...]) -> None:
    """SHFL PT, result, value, ...; ATOMG PT, result, [address], value; LOP3 P0, result, a, b, c."""
    behind = [i for i in code if i.operands and i.operands[0].text in ("PT", "P0")]
    assert {i.opcode for i in behind} >= {"SHFL", "ATOMG", "LOP3"}
    for i in behind:
        sources = [o.base or o for o in i.operands[2:]]
        registers = [o.value for o in sources if o.kind is OperandKind.REGISTER]
        assert [o.value for _, o in register_operands(i)] == registers
        assert [slot for slot, _ in register_operands(i)] == list(range(len(registers)))
