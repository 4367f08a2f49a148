"""The multivariate normal distribution with a low-rank plus diagonal covariance."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..arrays.size import Size
from ..dispatch.offer import FUNCTIONS as F
from . import constraints
from .distribution import Distribution, forwarded_property, lazy_property
from .multivariate_normal import LINALG


def batch_mv(matrix: Any, vector: Any) -> Any:
    """Matrices times vectors."""
    return F["matmul"](matrix, vector.unsqueeze(-1)).squeeze(-1)


def add_identity(matrix: Any) -> Any:
    """Square matrices with 1 added to their diagonals, in place."""
    matrix, size = matrix.contiguous(), matrix.size(-1)
    matrix.view(-1, size * size)[:, :: size + 1] += 1
    return matrix


def mahalanobis(factor: Any, away: Any) -> Any:
    """The squares of vectors as covariances of a lower Cholesky factor measure them."""
    solved = LINALG["solve_triangular"](factor, away.unsqueeze(-1), upper=False)
    return solved.squeeze(-1).pow(2).sum(-1)


class LowRankMultivariateNormal(Distribution):
    """Normal vectors with mean `loc` and covariances `cov_factor` cov_factorᵀ + `cov_diag`.

    The determinant and the inverse come from a small matrix, the capacitance, by Woodbury's
    identity.

    Raises:
        ValueError: too few dims, or shapes that do not fit.
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True
    _kept = ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril")
    mean = mode = forwarded_property("loc")

    def __init__(
        self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        try:
            wide, self.cov_factor, diagonal = F["broadcast_tensors"](
                loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1)
            )
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, "
                f"cov_diag {cov_diag.shape}"
            ) from error
        self.loc, self.cov_diag = wide[..., 0], diagonal[..., 0]
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        small = F["matmul"](self._divided(), cov_factor)
        self._capacitance_tril = LINALG["cholesky"](add_identity(small))
        super().__init__(self.loc.shape[:-1], event, validate_args=validate_args)

    def _divided(self) -> Any:
        """cov_factorᵀ by the diagonal."""
        return self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)

    def _square(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    def _expanded_attributes(self, batch_shape: Size) -> dict[str, Any]:
        shape = batch_shape + self.event_shape
        wide = {name: getattr(self, name).expand(shape) for name in ("loc", "cov_diag")}
        wide["cov_factor"] = self.cov_factor.expand(shape + self.cov_factor.shape[-1:])
        return wide | super()._expanded_attributes(batch_shape)

    @lazy_property
    def variance(self) -> Any:
        """The diagonal of the covariances."""
        found = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return found.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Any:
        """The lower Cholesky factor of the covariances."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        inner = add_identity(F["matmul"](scaled, scaled.mT))
        return self._square(root * LINALG["cholesky"](inner))

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariances."""
        factor = self._unbroadcasted_cov_factor
        low = F["matmul"](factor, factor.mT)
        return self._square(low + F["diag_embed"](self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Any:
        """Their inverse."""
        less = LINALG["solve_triangular"](self._capacitance_tril, self._divided(), upper=False)
        diagonal = F["diag_embed"](self._unbroadcasted_cov_diag.reciprocal())
        return self._square(diagonal - F["matmul"](less.mT, less))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """`loc`, standard normals times the factor, and others times the diagonal's roots."""
        shape = self._extended_shape(sample_shape)
        low, high = (
            F["normal"](F["zeros"](each, dtype=self.loc.dtype), F["ones"](each))
            for each in (shape[:-1] + self.cov_factor.shape[-1:], shape)
        )
        moved = self.loc + batch_mv(self._unbroadcasted_cov_factor, low)
        return moved + self._unbroadcasted_cov_diag.sqrt() * high

    def _log_det(self) -> Any:
        """The logarithm of the covariances' determinant."""
        small = self._capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return 2 * small + self._unbroadcasted_cov_diag.log().sum(-1)

    def _distance(self, away: Any) -> Any:
        """The squares of vectors as the covariances measure them."""
        inner = batch_mv(self._divided(), away)
        whole = (away.pow(2) / self._unbroadcasted_cov_diag).sum(-1)
        return whole - mahalanobis(self._capacitance_tril, inner)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        measured = self._distance(value - self.loc)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + self._log_det() + measured)

    def entropy(self) -> Any:
        constant = self._event_shape[0] * (1.0 + math.log(2 * math.pi))
        found = 0.5 * (constant + self._log_det())
        return found if len(self._batch_shape) == 0 else found.expand(self._batch_shape)
