"""``rand``, ``randn``, ``randint``, ``bernoulli`` and kin, and ``normal_`` and kin in place."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...arrays import devices, dtypes
from ...arrays.dtypes import Array
from ...arrays.kernel_errors import broadcast_shape
from ...arrays.memory_formats import require_strided
from ...arrays.memory_order import memory_order
from ...dispatch.offer import offer
from ...eager.inplace import set_history, write
from ...eager.op_functions import TENSORS as F
from ...graph import runtime
from ...graph.node import NotImplementedNode
from ...graph.tensor import Tensor
from ...graph.views import check_writable
from ...optable import TABLE
from ...optable.out import Out
from ..creation.factories import offer_factory, offer_like_factory
from ..creation.factory_decorator import FACTORY, factory, new_leaf, shape_from
from ..creation.nested_sequences import numpy_type
from . import generator as random
from .generator import Generator, NumpyDtype, Shape


def uniform_doubles(shape: Shape, generator: Generator | None) -> Array:
    """Uniform float64 numbers in [0, 1)."""
    drawn: Array = (generator or random.default).unit(math.prod(shape), double=True)
    return drawn.reshape(shape)


def exponential(
    shape: Shape, dtype: NumpyDtype, rate: float, generator: Generator | None = None
) -> Array:
    """Exponential numbers with a rate."""
    if rate <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    if dtype.kind != "f" and 0 not in shape:
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a "
            f"floating point but you specified {dtypes.scalar_type(dtype)}"
        )
    return np.asarray(-np.log1p(-uniform_doubles(shape, generator)) / rate).astype(dtype)


def random_integers(shape: Shape, dtype: NumpyDtype, generator: Generator | None = None) -> Array:
    """Integers over all that a type represents exactly, from 0 on."""
    source, count = generator or random.default, math.prod(shape)
    if dtype.kind == "f":
        limit = 2 ** (np.finfo(dtype).nmant + 1) + 1
    else:
        limit = 2 if dtype.kind == "b" else int(np.iinfo(dtype).max) + 1
    words = source.long_words(count) if dtype.itemsize == 8 else source.words(count)
    return (words % np.uint64(limit)).astype(dtype).reshape(shape)


def random_integers_between(
    shape: Shape, dtype: NumpyDtype, low: int, high: int, generator: Generator | None = None
) -> Array:
    """Integers in [low, high), which the type must be able to hold.

    Raises:
        RuntimeError: the range is empty or goes beyond the type's.
    """
    if low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    if dtype.kind != "f":
        least, most = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        for name, end in (("from", low), ("to - 1", high - 1)):
            if not least <= end <= most:
                raise RuntimeError(f"{name} is out of bounds for {dtypes.c_type(dtype)}")
    return random.randint(low, high, shape, generator).astype(dtype)


def multinomial_indices(
    weights: Array, count: int, replacement: bool, generator: Generator | None = None
) -> Array:
    """Indices along the last dim, drawn in proportion to the weights, as int64.

    Raises:
        RuntimeError: what cannot be drawn (PyTorch's texts).
    """
    if weights.dtype.kind != "f":
        raise RuntimeError(
            "multinomial only supports floating-point dtypes for input, got: "
            f"{dtypes.scalar_type(weights.dtype)}"
        )
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > weights.shape[-1]:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    if weights.shape[-1] > 1 << 24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    bad = ~((weights >= 0) & (weights < np.inf))
    if bad.any():
        if replacement and count > 1:
            endless = weights[bad][0] > 0
            met = "= infinity or NaN" if endless else "< 0"
            raise RuntimeError(
                f"invalid multinomial distribution (encountering probability entry {met})"
            )
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if bool((weights.sum(-1) == 0).any()):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if replacement and count > 1:
        sums = np.cumsum(weights, -1)
        sums = sums / sums[..., -1:]
        drawn = uniform_doubles((*weights.shape[:-1], count), generator)
        rows = zip(np.atleast_2d(sums), np.atleast_2d(drawn), strict=True)
        found = np.array([np.searchsorted(row, unit) for row, unit in rows], np.int64)
        return found.reshape(drawn.shape)
    # The exponential race: who arrives first, then second (P. Efraimidis and P. Spirakis, 2006).
    arrivals = exponential(weights.shape, weights.dtype, 1.0, generator)
    order = np.argsort(-(weights / arrivals), -1, kind="stable")
    return np.ascontiguousarray(order[..., :count])


rand, rand_like = (
    offer_factory("rand", random.rand, "Uniform in [0, 1)"),
    offer_like_factory("rand_like", random.rand, "Uniform in [0, 1)"),
)
randn, randn_like = (
    offer_factory("randn", random.randn, "Standard normal", FACTORY._replace(history="resized")),
    offer_like_factory("randn_like", random.randn, "Standard normal"),
)


@factory(out=FACTORY)
def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
) -> np.ndarray:
    """Integers from ``low`` (default 0) up to, without, ``high``; int64 by default.

    Shapes: ``size``.

    Raises:
        RuntimeError: the range is empty, or too large for the dtype.
    """
    place = 2 if size is None else 3
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    if isinstance(size, int):
        raise TypeError(
            f"randint(): argument 'size' (position {place}) must be tuple of ints, not int"
        )
    chosen = np.dtype(np.int64) if dtype is None else numpy_type(dtype)
    shape = shape_from("randint", (size,))
    return random_integers_between(shape, chosen, int(low), int(high), generator)


@factory(like=True)
def randint_like(
    input: Tensor,
    low: int,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
) -> np.ndarray:
    """``randint`` in the shape and (by default) the dtype of ``input``."""
    start, end = (0, low) if high is None else (low, high)
    chosen = input._data.dtype if dtype is None else numpy_type(dtype)
    return random_integers_between(input._data.shape, chosen, start, end, generator)


@factory(out=FACTORY)
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
) -> np.ndarray:
    """A random order of the integers below ``n``.

    Shapes: (n,).
    """
    order = random.randperm(n, generator)
    return order if dtype is None else order.astype(numpy_type(dtype))


@offer(method=False, out=Out("cast"))
def normal(
    mean: Any,
    std: Any = 1.0,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Normal numbers: of a size about numbers, or one for each item of tensors.

    Raises:
        RuntimeError: a negative deviation.
    """
    devices.require_cpu(device)
    require_strided(layout)
    if size is not None:  # 0-d tensors are numbers then
        mean, std = (each.item() if isinstance(each, Tensor) else each for each in (mean, std))
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        shape, kind = shape_from("normal", (size,)), numpy_type(dtype)
        return new_leaf(random.normal(shape, kind, mean, std, generator), requires_grad, "normal")
    if not isinstance(std, Tensor):
        data = random.normal(mean._data.shape, mean._data.dtype, 0.0, std, generator)
        return F.normal_mean(mean, random_tensor(data + mean._data))
    if not bool((std._data >= 0).all()):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    centre = mean._data if isinstance(mean, Tensor) else np.asarray(mean, std._data.dtype)
    shape, kind = broadcast_shape([centre.shape, std._data.shape]), centre.dtype
    data = random.normal(shape, kind, 0.0, 1.0, generator) * std._data + centre
    data = data.astype(kind)
    if isinstance(mean, Tensor):
        return F.normal_both(mean, std, random_tensor(data))
    return F.normal_std(std, random_tensor(data))


def random_tensor(array: Any) -> Tensor:
    """A tensor of numbers that were drawn."""
    return Tensor._wrap(np.asarray(array))


@offer(out=Out("cast"))
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None
) -> Tensor:
    """1 with each item's probability (or, with ``p``, with that one for all), else 0.

    Raises:
        RuntimeError: a probability is not between 0 and 1.
    """
    if p is not None:
        drawn = new_leaf(
            random.bernoulli_scalar(input._data.shape, input._data.dtype, p, generator)
        )
        if runtime.grad_enabled() and input.requires_grad:
            set_history(drawn, NotImplementedNode("aten::bernoulli", (input,)))
        return drawn
    return F.bernoulli(input, random_tensor(random.bernoulli(input._data, generator)))


@offer(out=True)
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Indices along the last dim, drawn in proportion to the weights.

    Shapes: weights (C,) or (N, C); the result is (num_samples,) or (N, num_samples).

    Raises:
        RuntimeError: too many without replacement, or weights that are none.
    """
    return new_leaf(multinomial_indices(input._data, num_samples, replacement, generator))


# Written into tensors -----------------------------------------------------------------------------
def _write_random(
    key: str, self: Tensor, draw: Callable[[], np.ndarray], *others: Tensor
) -> Tensor:
    """Random numbers written into a tensor. None are drawn where autograd refuses the write."""
    op = TABLE[key]
    if runtime.mode.enabled and self.requires_grad:
        check_writable(self, op.name + "_")
    return write(op, self, (*others, Tensor._wrap(draw())), {})


def _fill_with_random(
    key: str, self: Tensor, draw: Callable[..., np.ndarray], *args: Any
) -> Tensor:
    """``draw(shape, dtype, *args)`` written into a tensor, in the order of its memory."""
    again = drawn_in_order(self._data, draw, *args)
    return _write_random(key, self, lambda: random.draw(again))


def drawn_in_order(
    data: np.ndarray, draw: Callable[..., np.ndarray], *args: Any
) -> Callable[[], np.ndarray]:
    """``draw(shape, dtype, *args)`` for an array like this one, in the order of its memory."""
    shape, dtype = data.shape, data.dtype
    if data.flags.c_contiguous:
        return partial(draw, shape, dtype, *args)
    order = memory_order(shape, data)
    back = np.argsort(order)
    return lambda: draw(tuple(shape[dim] for dim in order), dtype, *args).transpose(back)


@offer(function=False)
def normal_(
    self: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None
) -> Tensor:
    """Normal random numbers, written into this tensor."""
    serial = not self._data.flags.c_contiguous
    return _fill_with_random("normal.written", self, random.normal, mean, std, generator, serial)


@offer(function=False)
def uniform_(
    self: Tensor, from_: float = 0, to: float = 1, *, generator: Generator | None = None
) -> Tensor:
    """Uniform random numbers, written into this tensor."""
    return _fill_with_random("uniform.written", self, random.uniform, from_, to, generator)


@offer(function=False)
def exponential_(self: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Exponential random numbers with the rate ``lambd``, written into this tensor."""
    return _fill_with_random("exponential.written", self, exponential, lambd, generator)


@offer(function=False)
def bernoulli_(
    self: Tensor, p: float | Tensor = 0.5, *, generator: Generator | None = None
) -> Tensor:
    """Ones with probability ``p`` (one for all, or one for each item), else zeros, written into
    this tensor."""
    if not isinstance(p, Tensor):
        return _fill_with_random("bernoulli.written", self, random.bernoulli_scalar, p, generator)
    data = self._data

    def draw() -> np.ndarray:
        order = memory_order(data.shape, data)
        chances = np.broadcast_to(p._data, data.shape).transpose(order)
        found = random.bernoulli(chances, generator).astype(data.dtype)
        return found.transpose(np.argsort(order))

    return _write_random("bernoulli.tensor", self, draw, p)


@offer(function=False)
def random_(
    self: Tensor, from_: int | None = None, to: int | None = None, *,
    generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """Random integers in [from, to), written into this tensor; without bounds, over all that its
    dtype represents exactly.

    Raises:
        RuntimeError: the range is empty, or too large for the dtype.
    """
    if from_ is None:
        return _fill_with_random("random.written", self, random_integers, generator)
    if to is None:
        return _fill_with_random("random.below", self, random_integers_between, 0, from_, generator)
    return _fill_with_random("random.range", self, random_integers_between, from_, to, generator)
