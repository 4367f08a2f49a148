"""The same items in another shape or order, apart or joined."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    joins,
    padding,
    permute,
    reshape_expand,
    slices,
    splits,
)
