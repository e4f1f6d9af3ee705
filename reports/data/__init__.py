"""The numbers behind the figures: pure functions from runs to rows."""
