"""Runs the replayed machine code on a GPU and sets measured beside predicted."""
