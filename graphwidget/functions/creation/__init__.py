"""Functions that create tensors: from data, from numbers, from files, or filled."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    factories,
    factory_decorator,
    frombuffer,
    nested_sequences,
    ranges_grids,
)
