"""The multivariate normal distribution, by covariance, precision or Cholesky factor."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..arrays.size import Size
from ..dispatch.offer import FUNCTIONS as F
from ..dispatch.offer import SPACES
from . import constraints
from .distribution import Distribution, forwarded_property, lazy_property

LINALG = SPACES["linalg"]
MATRICES = ("covariance_matrix", "precision_matrix", "scale_tril")


def only_matrix(matrices: tuple[Any, ...], error: type[Exception]) -> tuple[str, Any]:
    """The name and the value of the one of `MATRICES` that was given; an error if there is not just
    one."""
    given = [pair for pair in zip(MATRICES, matrices, strict=True) if pair[1] is not None]
    if len(given) != 1:
        raise error(
            "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
        )
    return given[0]


def _tril_of_precision(precision: Any) -> Any:
    """The lower factor of the inverse of a matrix."""
    factor = LINALG["cholesky"](F["flip"](precision, (-2, -1)))
    inverse = F["transpose"](F["flip"](factor, (-2, -1)), -2, -1)
    eye = F["eye"](precision.shape[-1], dtype=precision.dtype)
    return LINALG["solve_triangular"](inverse, eye, upper=False)


class MultivariateNormal(Distribution):
    """Normal vectors with mean `loc`, given one of their covariances, the inverse of these, or
    their lower Cholesky factor.

    Raises:
        ValueError: none or several of them, or too few dims.
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True
    _kept = ("_unbroadcasted_scale_tril",)
    mean = mode = forwarded_property("loc")

    def __init__(
        self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None,
        scale_tril: Any = None, validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = (covariance_matrix, precision_matrix, scale_tril)
        name, matrix = only_matrix(given, ValueError)
        if matrix.dim() < 2:
            word = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(
                f"{word} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch = F["broadcast_shapes"](matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch, -1, -1)))
        self.loc = loc.expand((*batch, -1))
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = LINALG["cholesky"](matrix)
        else:
            self._unbroadcasted_scale_tril = _tril_of_precision(matrix)

    def _square(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Any:
        """The lower Cholesky factor of the covariances."""
        return self._square(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariances."""
        factor = self._unbroadcasted_scale_tril
        return self._square(F["matmul"](factor, factor.mT))

    @lazy_property
    def precision_matrix(self) -> Any:
        """Their inverse."""
        return self._square(F["cholesky_inverse"](self._unbroadcasted_scale_tril))

    @property
    def variance(self) -> Any:
        """The diagonal of the covariances."""
        found = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return found.expand(self._batch_shape + self._event_shape)

    def _expanded_attributes(self, batch_shape: Size) -> dict[str, Any]:
        shape = batch_shape + self.event_shape
        wide = {"loc": self.loc.expand(shape)} | super()._expanded_attributes(batch_shape)
        given = [name for name in MATRICES if name in self.__dict__]
        shape += self.event_shape
        return wide | {name: self.__dict__[name].expand(shape) for name in given}

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Standard normals times the factor, moved to `loc`."""
        shape = self._extended_shape(sample_shape)
        zeros, ones = (F[name](shape, dtype=self.loc.dtype) for name in ("zeros", "ones"))
        eps = F["normal"](zeros, ones)
        moved = F["matmul"](self._unbroadcasted_scale_tril, eps.unsqueeze(-1)).squeeze(-1)
        return self.loc + moved

    def _half_log_det(self) -> Any:
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        away = (value - self.loc).unsqueeze(-1)
        factor = self._unbroadcasted_scale_tril
        steps = LINALG["solve_triangular"](factor, away, upper=False)
        distance = steps.squeeze(-1).pow(2).sum(-1)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + distance) - self._half_log_det()

    def entropy(self) -> Any:
        size = self._event_shape[0]
        found = 0.5 * size * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return found if len(self._batch_shape) == 0 else found.expand(self._batch_shape)
