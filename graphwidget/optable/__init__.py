"""The op table: every op, declared once."""

from . import (
    activations,
    elementary,
    indexing,
    kernels,
    linalg,
    losses,
    pointwise,
    reductions,
    shapes,
)
from .declare import ARRAYS, COMPOSITES, REQUIRED, TABLE, Derivative, Namespace, Op, bind, op

__all__ = [
    "ARRAYS",
    "COMPOSITES",
    "REQUIRED",
    "TABLE",
    "Derivative",
    "Namespace",
    "Op",
    "activations",
    "bind",
    "elementary",
    "indexing",
    "kernels",
    "linalg",
    "losses",
    "op",
    "pointwise",
    "reductions",
    "shapes",
]  # fmt: skip
