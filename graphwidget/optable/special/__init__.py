"""Special functions."""

from . import (  # noqa: F401  (each declares its ops when it is imported)
    special,
)
