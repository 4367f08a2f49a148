"""Transforms of parts along a dim, of matrices, and by another distribution's probabilities."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

from ..arrays.size import Size
from ..dispatch.offer import FUNCTIONS as F
from ..dispatch.offer import SPACES
from ..nn.functional import pad, softplus
from . import constraints
from .distribution import forwarded_property
from .elementary_transforms import LowerCholeskyTransform, _Same, finfo_of
from .independent import sum_rightmost
from .transform import Transform


class _Parts(Transform):
    """What both kinds share: each transform has its part along a dim."""

    transforms: list[Transform]
    dim: int
    _told: str
    """How an error calls the number of parts."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(each, Transform) for each in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [each.with_cache(cache_size) if cache_size else each for each in tseq]
        self.dim = dim

    @property
    def length(self) -> int:
        """How long the dim must be."""
        return len(self.transforms)

    @property
    def bijective(self) -> bool:
        """Whether all are."""
        return all(each.bijective for each in self.transforms)

    def _split(self, value: Any, name: str, word: str) -> list[Any]:
        """The parts of an argument or result."""
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(
                f"dim {self.dim} out of range for {word} with {value.dim()} dimensions"
            )
        if value.size(self.dim) != self.length:
            raise AssertionError(
                f"{name}.size({self.dim}) = {value.size(self.dim)} must equal {self._told} "
                f"{self.length}"
            )
        return self._cut(value)

    def _cut(self, value: Any) -> list[Any]:
        raise NotImplementedError

    def _join(self, parts: list[Any]) -> Any:
        raise NotImplementedError

    def _call(self, x: Any) -> Any:
        parts = zip(self.transforms, self._split(x, "x", "tensor"), strict=True)
        return self._join([each(part) for each, part in parts])

    def _inverse(self, y: Any) -> Any:
        parts = zip(self.transforms, self._split(y, "y", "tensor"), strict=True)
        return self._join([each.inv(part) for each, part in parts])

    def _log_abs_det_jacobians(self, x: Any, y: Any) -> list[Any]:
        """What each says of its part."""
        before, after = self._split(x, "x", "x"), self._split(y, "y", "y")
        return [
            each.log_abs_det_jacobian(one, two)
            for each, one, two in zip(self.transforms, before, after, strict=True)
        ]


class CatTransform(_Parts):
    """Transforms of the parts of some lengths along a dim."""

    _told = "length"
    _arguments = ("transforms", "dim", "lengths")

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(
                f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})"
            )

    @property
    def event_dim(self) -> int:
        """The most dims that one of them takes for a value."""
        return max(each.event_dim for each in self.transforms)

    @property
    def length(self) -> int:
        """All lengths together."""
        return sum(self.lengths)

    def _cut(self, value: Any) -> list[Any]:
        starts = [0, *itertools.accumulate(self.lengths)]
        pairs = zip(starts, self.lengths, strict=False)
        return [value.narrow(self.dim, start, length) for start, length in pairs]

    def _join(self, parts: list[Any]) -> Any:
        return F["cat"](parts, dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The parts' own, joined, or added up where the dim is within a value."""
        slopes = [
            sum_rightmost(slope, self.event_dim - each.event_dim)
            for each, slope in zip(self.transforms, self._log_abs_det_jacobians(x, y), strict=True)
        ]
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        return F["cat"](slopes, dim=dim) if dim < 0 else reduce(lambda one, two: one + two, slopes)

    @constraints.dependent_property
    def domain(self) -> Any:
        """The parts'."""
        return constraints.cat([each.domain for each in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """The parts'."""
        return constraints.cat([each.codomain for each in self.transforms], self.dim, self.lengths)


class StackTransform(_Parts):
    """Transforms of the items along a dim."""

    _told = "len(transforms)"
    _arguments = ("transforms", "dim")

    def _cut(self, value: Any) -> list[Any]:
        return [value.select(self.dim, place) for place in range(value.size(self.dim))]

    def _join(self, parts: list[Any]) -> Any:
        return F["stack"](parts, dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The items' own, stacked."""
        return self._join(self._log_abs_det_jacobians(x, y))

    @constraints.dependent_property
    def domain(self) -> Any:
        """The items'."""
        return constraints.stack([each.domain for each in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """The items'."""
        return constraints.stack([each.codomain for each in self.transforms], self.dim)


class CumulativeDistributionTransform(Transform):
    """The probabilities of less, by a distribution: uniform numbers of what it draws."""

    bijective = True
    domain = forwarded_property("distribution.support")
    codomain = constraints.unit_interval
    sign = 1
    _arguments = ("distribution",)

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    def _call(self, x: Any) -> Any:
        return self.distribution.cdf(x)

    def _inverse(self, y: Any) -> Any:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The logarithm of the density."""
        return self.distribution.log_prob(x)


class PositiveDefiniteTransform(_Same):
    """Any matrix as a positive definite one, by its lower Cholesky factor."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return F["matmul"](factor, factor.mT)

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(SPACES["linalg"]["cholesky"](y))


def lower_items(matrix: Any, diagonal: int = 0) -> Any:
    """The items of matrices up to a diagonal, row by row."""
    return matrix[..., _mask(matrix.shape[-1], diagonal)]


def _mask(size: int, diagonal: int) -> Any:
    places = F["arange"](size)
    return places < places.view(-1, 1) + (diagonal + 1)


class CorrCholeskyTransform(Transform):
    """Numbers as the lower Cholesky factor of correlations: each row's tanh take, one after the
    other, their part of what is left of the length 1."""

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        x = F["tanh"](x)
        eps = float(finfo_of(x).eps)
        x = x.clamp(min=-1 + eps, max=1 - eps)
        size = self._size(x.shape[-1])
        parts = x.new_zeros((*x.shape[:-1], size, size))
        parts[..., _mask(size, -1)] = x
        left = (1 - parts**2).sqrt().cumprod(-1)
        parts = parts + F["eye"](size, dtype=parts.dtype)
        return parts * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        left = 1 - F["cumsum"](y * y, dim=-1)
        left = lower_items(pad(left[..., :-1], [1, 0], value=1), -1)
        parts = lower_items(y, -1) / left.sqrt()
        return (parts.log1p() - parts.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """That of the parts' taking, and that of the tanh."""
        left = lower_items(1 - (y * y).cumsum(dim=-1), -2)
        tanh = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
        return 0.5 * left.log().sum(-1) + tanh

    @staticmethod
    def _size(count: int) -> int:
        """Of the matrix with so many items below its diagonal."""
        size: int = round(math.sqrt(0.25 + 2 * count) + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError(
                f"The size of last dimension is {count} which cannot be expressed as the lower "
                "triangular part of a square D x D matrix."
            )
        return size

    def forward_shape(self, shape: Any) -> Any:
        """Matrices for vectors.

        Raises:
            ValueError: no dim, or no matrix has so many items below its diagonal.
        """
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        try:
            size = self._size(shape[-1])
        except ValueError:
            raise ValueError("Input is not a flattened lower-diagonal number") from None
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: Any) -> Any:
        """Vectors for matrices.

        Raises:
            ValueError: no square matrices.
        """
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))
