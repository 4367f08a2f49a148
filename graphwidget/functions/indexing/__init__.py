"""Indexing: ``tensor[...]``, masks, and the functions with an index."""

from . import (  # noqa: F401  (each offers its functions when it is imported)
    getitem,
    index_add,
    parse_index,
    scatter,
)
