"""The pages: what stands on each, in which order."""
