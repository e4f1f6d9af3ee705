"""Command-line pages: parse, open runs, write a page."""
