"""Tensors from data, numbers, files and nothing."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    factories,
    factory_decorator,
    from_file,
    frombuffer,
    nested_sequences,
    ranges_grids,
    windows,
)
