"""Pointwise functions, which compute each item by itself."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    activations,
    arithmetic,
    overloads,
)
