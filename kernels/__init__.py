"""The kernel catalogue: CUDA sources with their launches, inputs and expected results."""

from kernels.catalogue import load_workload, workloads
from kernels.errors import SizeError, UnknownKernelError
from kernels.workload import Array, Launch, Problem, Workload

__all__ = [
    "Array",
    "Launch",
    "Problem",
    "SizeError",
    "UnknownKernelError",
    "Workload",
    "load_workload",
    "workloads",
]
