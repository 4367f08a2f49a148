"""Reductions: sums, norms, sorting, counting."""

from . import (  # noqa: F401  (each declares its ops when it is imported)
    cumulative,
    norms,
    reductions,
    sorting,
    unique,
)
