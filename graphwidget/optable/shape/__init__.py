"""Ops that move items: views, joins, padding, indexing, scatters."""

from . import (  # noqa: F401  (each declares its ops when it is imported)
    indexing,
    joins,
    padding,
    scatters,
    views,
)
