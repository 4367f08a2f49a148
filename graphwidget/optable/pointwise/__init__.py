"""Pointwise ops, which compute each item by itself."""

from . import (  # noqa: F401  (each declares its ops when it is imported)
    arithmetic,
    comparisons,
    copies,
    elementary,
    where_clamp,
)
