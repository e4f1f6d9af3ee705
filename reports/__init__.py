"""What people share: figures and self-contained pages drawn from saved runs.

Nothing is counted here. ``reports.data`` turns runs into rows, ``reports.figures`` rows into
plotly figures, ``reports.page`` figures and tables into one HTML file that fetches nothing.
"""
