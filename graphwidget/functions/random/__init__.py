"""Random numbers, the same as PyTorch's for one seed."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    generator,
    random_tensors,
)
