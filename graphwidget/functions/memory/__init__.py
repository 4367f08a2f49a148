"""Storages, strides, order in memory, and conversion between types."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    conversion,
    storage,
    strides,
)
