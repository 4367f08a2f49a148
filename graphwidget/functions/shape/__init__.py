"""Functions that reshape, permute, repeat, split and join tensors."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    joins,
    padding,
    permute,
    repeat_flip,
    reshape_expand,
    select_diagonal,
    splits,
)
