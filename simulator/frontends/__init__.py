"""Everything that turns into a :class:`~simulator.isa.kernel.Kernel`: CUDA C++ text, cubins."""
