"""The numbers that every engine gets: the same for all, and the same every time."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

CHAIN = 1_000
"""Ops in the chains of small ops."""
DEEP = 100_000
"""Ops in the deep chain."""
LARGE = 1_000_000
"""Items of the large tensors."""
MATRIX = 1_024
HESSIAN = 64
SCALAR_LAYERS = (3, 16, 16, 1)
"""Widths of the MLP of scalars, micrograd's own example."""
MLP_LAYERS = (784, 128, 64, 10)
BATCH = 64
EXAMPLE = (2.0, 3.0, 4.0)
"""The weights of the texts' example C."""
RATE = 0.01
BETAS, EPS = (0.9, 0.999), 1e-8
"""Adam's."""


@cache
def normal(name: str, *shape: int, scale: float = 1.0, dtype: Any = np.float32) -> np.ndarray:
    """Normal numbers for what is called ``name``; not to be written."""
    seed = sum(ord(letter) * 31**i for i, letter in enumerate(name)) % 2**32
    made = np.asarray(np.random.default_rng(seed).normal(size=shape) * scale, dtype)
    made.flags.writeable = False
    return made


def parameter(name: str, *shape: int) -> np.ndarray:
    """The numbers of a model's parameter, which depend on its name only."""
    return normal(name, *shape, scale=max(sum(shape[1:]), 4) ** -0.5)


def small() -> np.ndarray:
    """The (2, 2) operand of the small-op chains: near 1, so that products stay finite."""
    return np.float32(1) + normal("small", 2, 2, scale=1e-4)


def large() -> np.ndarray:
    """A million items."""
    return normal("large", LARGE)


def matrices() -> tuple[np.ndarray, np.ndarray]:
    """Two square matrices."""
    return (normal("left", MATRIX, MATRIX), normal("right", MATRIX, MATRIX))


def layers(
    widths: tuple[int, ...] = MLP_LAYERS, dtype: Any = np.float32
) -> list[tuple[np.ndarray, np.ndarray]]:
    """(weight (out, in), bias (out,)) of an MLP."""
    return [
        (
            normal(f"weight{i}", out, inn, scale=inn**-0.5, dtype=dtype),
            normal(f"bias{i}", out, scale=0.1, dtype=dtype),
        )
        for i, (inn, out) in enumerate(pairwise(widths))
    ]


def batch() -> tuple[np.ndarray, np.ndarray]:
    """Inputs and regression targets of the MLP."""
    return normal("inputs", BATCH, MLP_LAYERS[0]), normal("targets", BATCH, MLP_LAYERS[-1])


def images() -> tuple[np.ndarray, np.ndarray]:
    """Inputs (32, 1, 28, 28) and classes (32,) of the CNN."""
    return normal("images", 32, 1, 28, 28), np.arange(32) % 10


def hessian() -> tuple[np.ndarray, np.ndarray]:
    """The matrix and the point of the function whose Hessian is wanted, in float64."""
    matrix = normal("curvature", HESSIAN, HESSIAN, scale=HESSIAN**-0.5, dtype=np.float64)
    return matrix, normal("point", HESSIAN, dtype=np.float64)
