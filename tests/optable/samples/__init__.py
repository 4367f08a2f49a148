"""Samples of every op of the table, by family: expressions of x and y with the shapes to try.

Each module but ``sample`` is a family and has its ``SAMPLES`` and its ``IN_PLACE``.
"""

from __future__ import annotations

import importlib
import pkgutil

from .sample import Sample

FAMILIES = [
    importlib.import_module(f"{__name__}.{module.name}")
    for module in pkgutil.iter_modules(__path__)
    if module.name != "sample"
]

SAMPLES: dict[str, list[Sample]] = {
    key: samples for family in FAMILIES for key, samples in family.SAMPLES.items()
}
"""By the op's key in the table."""

IN_PLACE: list[tuple[str, str]] = [pair for family in FAMILIES for pair in family.IN_PLACE]
"""Pairs of an expression and the in-place form that must give the same; z is a copy of x."""

__all__ = ["IN_PLACE", "SAMPLES", "Sample"]
