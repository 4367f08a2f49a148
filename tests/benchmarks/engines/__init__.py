"""The engines, each as ``name -> (rows, array)``: its rows' makers, and its values as arrays.

PyTorch and graphwidget share one text (``rows``); ``numpy`` is the same work without an engine,
``static`` a graph that is built once.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.rows import ROWS

Step = Callable[[], Sequence[Any]]

NAMES = ("graphwidget", "torch", "static", "numpy")


class Engine(NamedTuple):
    """An engine as the table uses it."""

    rows: dict[str, Callable[[], Step]]
    array: Callable[[Any], np.ndarray]


def as_array(tensor: Any) -> np.ndarray:
    """A copy of a Tensor's values: steps go on writing into their parameters."""
    return np.array(tensor.detach().numpy())


def load(name: str) -> Engine:
    """Return an engine by name."""
    if name in ("torch", "graphwidget"):
        torch = importlib.import_module(name)
        return Engine({row: functools.partial(make, torch) for row, make in ROWS.items()}, as_array)
    module = importlib.import_module(f"tests.benchmarks.engines.{name}")
    return Engine(module.ROWS, module.array)


def engines() -> dict[str, Engine]:
    """Return every engine."""
    return {name: load(name) for name in NAMES}
