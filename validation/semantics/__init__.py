"""Proof of the emulator's instruction semantics: small kernels run on a GPU, outputs recorded."""
