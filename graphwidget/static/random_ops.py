"""Random numbers, drawn anew in each run: ``tf.random_normal`` and its like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .convert import shape_param
from .dtypes import as_dtype, float32
from .graph import get_default_graph, only
from .symbol import Spec, Symbol

Draw = Callable[[np.random.Generator, tuple[int, ...]], Any]


def drawn(type: str, shape: Any, dtype: Any, seed: int | None, name: str, draw: Draw) -> Symbol:
    """An operation that draws numbers whenever it runs."""
    graph = get_default_graph()
    sizes = shape_param(shape)
    known = None if isinstance(sizes, Symbol) else tuple(
        None if isinstance(each, Symbol) else each for each in sizes
    )  # fmt: skip
    if graph.seed is not None or seed is not None:
        key: Any = [graph.seed or 0, len(graph.operations) if seed is None else seed]
    else:
        key = None
    with graph.name_scope(name):
        made = graph.create(
            "Random", (), [Spec(as_dtype(dtype), known)], name=type,
            params={"shape": sizes, "seed": key, "draw": draw},
        )  # fmt: skip
    return only(made)


def random_normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = float32,
                  seed: int | None = None, name: str = "random_normal") -> Symbol:  # fmt: skip
    """Normal random numbers."""
    return drawn("RandomStandardNormal", shape, dtype, seed, name,
                 lambda generator, sizes: generator.normal(mean, stddev, sizes))  # fmt: skip


def random_uniform(shape: Any, minval: float = 0, maxval: Any = None, dtype: Any = float32,
                   seed: int | None = None, name: str = "random_uniform") -> Symbol:  # fmt: skip
    """Uniform random numbers; integers below ``maxval``."""
    if as_dtype(dtype).is_integer:
        if maxval is None:
            raise ValueError("Must specify maxval for integer dtype int32")
        return drawn(
            "RandomUniformInt",
            shape,
            dtype,
            seed,
            name,
            lambda generator, sizes: generator.integers(int(minval), maxval, sizes),
        )
    top = 1.0 if maxval is None else maxval
    return drawn("RandomUniform", shape, dtype, seed, name,
                 lambda generator, sizes: generator.uniform(minval, top, sizes))  # fmt: skip


def truncated_normal(
    shape: Any,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: Any = float32,
    seed: int | None = None,
    name: str = "truncated_normal",
) -> Symbol:
    """Normal random numbers, those drawn again that are further off than two deviations."""

    def draw(generator: np.random.Generator, sizes: tuple[int, ...]) -> Any:
        found = generator.standard_normal(sizes)
        far = np.abs(found) > 2
        while far.any():
            found = np.where(far, generator.standard_normal(sizes), found)
            far = np.abs(found) > 2
        return found * stddev + mean

    return drawn("TruncatedNormal", shape, dtype, seed, name, draw)


def set_random_seed(seed: int) -> None:
    """Let the graph draw the same numbers in each session."""
    get_default_graph().seed = seed


PUBLIC = "random_normal", "random_uniform", "truncated_normal", "set_random_seed"
