"""NVIDIA's compiler and disassembler from their PyPI wheels, an ELF reader and a cache."""
