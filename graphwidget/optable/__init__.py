"""The op table: every op, declared once."""

from . import (
    activations,
    convolution,
    elementary,
    embedding,
    indexing,
    kernels,
    linalg,
    losses,
    normalization,
    pointwise,
    pooling,
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
    "convolution",
    "elementary",
    "embedding",
    "indexing",
    "kernels",
    "linalg",
    "losses",
    "normalization",
    "op",
    "pointwise",
    "pooling",
    "reductions",
    "shapes",
]  # fmt: skip
