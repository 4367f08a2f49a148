"""Ops on matrices."""

from . import (  # noqa: F401  (each declares its ops when it is imported)
    factors,
    products,
    solve,
    spectra,
)
