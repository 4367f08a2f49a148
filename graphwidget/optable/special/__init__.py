"""Declares the special functions: ``erf``, ``lgamma``, ``i0`` and the like."""

from . import (  # noqa: F401  (each declares its ops when it is imported)
    special,
)
