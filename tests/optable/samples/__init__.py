"""Samples of every op of the table, by family: expressions of x and y with the shapes to try."""

from __future__ import annotations

from . import (
    activations,
    convolution,
    elementary,
    indexing,
    joins,
    linalg,
    losses,
    norms,
    pointwise,
    reductions,
    scatters,
    shapes,
    sorting,
)
from .sample import Sample

FAMILIES = (pointwise, elementary, activations, reductions, sorting, shapes, joins, scatters,
            indexing, linalg, losses, convolution, norms)  # fmt: skip

SAMPLES: dict[str, list[Sample]] = {
    key: samples for family in FAMILIES for key, samples in family.SAMPLES.items()
}
"""By the op's key in the table."""

IN_PLACE: list[tuple[str, str]] = [pair for family in FAMILIES for pair in family.IN_PLACE]
"""Pairs of an expression and the in-place form that must give the same; z is a copy of x."""

__all__ = ["IN_PLACE", "SAMPLES", "Sample"]
