"""Checks that turn what a replay saw into findings."""
