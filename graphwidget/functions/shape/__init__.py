"""Functions that reshape, permute, repeat, split and join tensors."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    joins_splits,
    permute,
    repeat_flip_pad,
    reshape_expand,
    select_diagonal,
)
