"""Reductions: sums, norms, extrema, running ones, sorting."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    norms,
    reductions,
    sorting,
)
