"""Functions that reshape, permute, split and join tensors."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    joins,
    padding,
    permute,
    reshape_expand,
    select_diagonal,
    splits,
)
