"""The Wishart distribution of covariance matrices, and the LKJ one of Cholesky factors."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..arrays.dtypes import Size
from ..arrays.warnings import warn
from ..autograd.grad_mode import no_grad
from ..dispatch.offer import FUNCTIONS as F
from ..graph.tensor import Tensor
from . import constraints
from .distribution import Distribution, broadcast_all, lazy_property
from .elementary_transforms import finfo_of
from .exp_family import ExponentialFamily
from .gamma_beta import Beta, Chi2
from .multivariate_normal import LINALG, MATRICES, _tril_of_precision, only_matrix

LOW = (
    "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim."
)
LOG_2 = math.log(2)
TRIES = 10
"""How often singular samples are drawn anew."""


class Wishart(ExponentialFamily):
    """Sums of `df` outer products of normal vectors, given one of their covariances, the inverse
    of these, or their lower Cholesky factor.

    Raises:
        AssertionError: none or several of them.
        ValueError: too few dims, or a `df` that is no greater than ndim - 1.

    Warns:
        UserWarning: a `df` below ndim.
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure: Any = 0

    @property
    def arg_constraints(self) -> Any:
        """What the parameters must satisfy: `df` by the size of the matrices."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def __init__(
        self, df: Any, covariance_matrix: Any = None, precision_matrix: Any = None,
        scale_tril: Any = None, validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        given = (covariance_matrix, precision_matrix, scale_tril)
        name, matrix = only_matrix(given, AssertionError)
        if matrix.dim() < 2:
            raise ValueError(
                "scale_tril must be at least two-dimensional, with optional leading batch "
                "dimensions"
            )
        size = matrix.shape[-1]
        if isinstance(df, Tensor):
            batch = Size(F["broadcast_shapes"](matrix.shape[:-2], df.shape))
            self.df = df.expand(batch)
        else:
            batch = Size(matrix.shape[:-2])
            self.df = F["tensor"](df, dtype=matrix.dtype)
        if self.df.le(size - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
        setattr(self, name, matrix.expand((*batch, -1, -1)))
        if self.df.lt(size).any():
            warn(LOW)
        super().__init__(batch, matrix.shape[-2:], validate_args=validate_args)
        if name == "scale_tril":
            factor = matrix
        else:
            factor = (
                LINALG["cholesky"] if name == "covariance_matrix" else _tril_of_precision
            )(matrix)  # fmt: skip
        self._unbroadcasted_scale_tril = factor
        self._dist_chi2 = self._chi2(self.df, batch)

    def _chi2(self, df: Any, batch: Any) -> Chi2:
        """Of the factor's diagonal: each with a degree of freedom less than the one before."""
        less = F["arange"](self._event_shape[-1], dtype=self._unbroadcasted_scale_tril.dtype)
        return Chi2(df.unsqueeze(-1) - less.expand((*batch, -1)))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same with parameters of another shape."""
        batch = Size(batch_shape)
        square = batch + self.event_shape
        wide = {name: self.__dict__[name].expand(square) for name in MATRICES if name in vars(self)}
        df = self.df.expand(batch)
        factor = self._unbroadcasted_scale_tril.expand(square)
        made = self._expanded(
            _instance, batch, df=df, _unbroadcasted_scale_tril=factor, **wide
        )  # fmt: skip
        made._dist_chi2 = self._chi2(df, batch)
        return made

    def _square(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Any:
        """The lower Cholesky factor of the covariances."""
        return self._square(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Any:
        """The covariances."""
        factor = self._unbroadcasted_scale_tril
        return self._square(F["matmul"](factor, factor.transpose(-2, -1)))

    @lazy_property
    def precision_matrix(self) -> Any:
        """Their inverse."""
        factor = self._unbroadcasted_scale_tril
        eye = F["eye"](self._event_shape[-1], dtype=factor.dtype)
        return self._square(F["cholesky_solve"](eye, factor))

    def _times(self, factor: Any, matrix: Any) -> Any:
        return factor.view((*self._batch_shape, 1, 1)) * matrix

    @property
    def mean(self) -> Any:
        """df times the covariances."""
        return self._times(self.df, self.covariance_matrix)

    @property
    def mode(self) -> Any:
        """The likeliest matrix; nan where there is none."""
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor[factor <= 0] = math.nan
        return self._times(factor, self.covariance_matrix)

    @property
    def variance(self) -> Any:
        """The variances of the items."""
        matrix = self.covariance_matrix
        diagonal = matrix.diagonal(dim1=-2, dim2=-1)
        outer = F["einsum"]("...i,...j->...ij", diagonal, diagonal)
        return self._times(self.df, matrix.pow(2) + outer)

    def _bartlett_sample(self, sample_shape: Any) -> Any:
        """Matrices by Bartlett's decomposition."""
        size = self._event_shape[-1]
        chi = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = chi.clamp(min=float(finfo_of(chi).eps)).diag_embed(dim1=-2, dim2=-1)
        rows, columns = F["tril_indices"](size, size, offset=-1)
        below = (*sample_shape, *self._batch_shape, size * (size - 1) // 2)
        noise[..., rows, columns] = F["randn"](below, dtype=noise.dtype)
        factor = F["matmul"](self._unbroadcasted_scale_tril, noise)
        return F["matmul"](factor, factor.transpose(-2, -1))

    def _is_in_support(self, sample: Any) -> Any:
        """Whether samples are within the support, over the batch's dims."""
        found = self.support.check(sample)
        dims = [-each for each in range(1, len(self._batch_shape) + 1)]
        return found.amax(dims) if dims else found

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Any:
        """Matrices that have gradients by the parameters.

        Warns:
            UserWarning: as PyTorch does, that one is singular where it should be that none is.
        """
        sample_shape = Size(sample_shape)
        sample = self._bartlett_sample(sample_shape)
        wrong = self._is_in_support(sample)
        if wrong.any():
            warn("Singular sample detected.")
            for _ in range(TRIES if max_try_correction is None else max_try_correction):
                anew = self._bartlett_sample(wrong[wrong].shape)
                sample[wrong] = anew
                still = ~self.support.check(anew)
                if self._batch_shape:
                    still = still.amax([-each for each in range(1, len(self._batch_shape) + 1)])
                wrong[wrong.clone()] = still
                if not wrong.any():
                    break
        return sample

    def _log_det(self) -> Any:
        """Half the logarithm of the covariances' determinant, and of 2 to their size."""
        factor = self._unbroadcasted_scale_tril
        size = self._event_shape[-1]
        return size * LOG_2 / 2 + factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        df, size = self.df, self._event_shape[-1]
        solved = F["cholesky_solve"](value, self._unbroadcasted_scale_tril)
        return (
            -df * self._log_det()
            - F["mvlgamma"](df / 2, p=size)
            + (df - size - 1) / 2 * LINALG["slogdet"](value)[1]
            - solved.diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2
        )

    def entropy(self) -> Any:
        df, size = self.df, self._event_shape[-1]
        return (
            (size + 1) * self._log_det()
            + F["mvlgamma"](df / 2, p=size)
            - (df - size - 1) / 2 * _many_digamma(df / 2, size)
            + df * size / 2
        )

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, *natural_params: Any) -> Any:
        x, y = natural_params
        size = self._event_shape[-1]
        shape = y + (size + 1) / 2
        inner = -LINALG["slogdet"](-2 * x)[1] + LOG_2 * size
        return shape * inner + F["mvlgamma"](y + (size + 1) / 2, p=size)


def _many_digamma(x: Any, size: int) -> Any:
    """The derivative of the logarithm of the multivariate gamma function."""
    steps = F["arange"](size, dtype=x.dtype).div(2).expand((*x.shape, -1))
    return F["digamma"](x.unsqueeze(-1) - steps).sum(-1)


class LKJCholesky(Distribution):
    """Lower Cholesky factors of correlations, after Lewandowski, Kurowicka and Joe (2009), drawn
    row by row as points on spheres (their onion method).

    Raises:
        ValueError: a size below 2.
    """

    arg_constraints: ClassVar[Any] = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    _kept = ("dim",)
    _batched = ("concentration",)

    def __init__(
        self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        if dim < 2:
            raise ValueError(
                f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}."
            )
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        steps = F["arange"](dim - 1, dtype=self.concentration.dtype)
        steps = F["cat"]([steps.new_zeros((1,)), steps])
        self._beta = Beta(steps + 0.5, marginal.unsqueeze(-1) - 0.5 * steps)
        super().__init__(self.concentration.size(), (dim, dim), validate_args)

    def _expanded_attributes(self, batch_shape: Size) -> dict[str, Any]:
        beta = self._beta.expand((*batch_shape, self.dim))
        return super()._expanded_attributes(batch_shape) | {"_beta": beta}

    def sample(self, sample_shape: Any = ()) -> Any:
        """Factors without gradient: the beta values are sampled so, and normals have none."""
        squares = self._beta.sample(sample_shape).unsqueeze(-1)
        shape = self._extended_shape(sample_shape)
        normals = F["randn"](shape, dtype=squares.dtype).tril(-1)
        directions = normals / normals.norm(dim=-1, keepdim=True)
        with no_grad():
            directions[..., 0, :].fill_(0.0)
        found = F["sqrt"](squares) * directions
        rest = F["clamp"](1 - F["sum"](found**2, dim=-1), min=float(finfo_of(found).tiny))
        found += F["diag_embed"](rest.sqrt())
        return found

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = F["arange"](2, self.dim + 1)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        found = F["sum"](order * diagonal.log(), dim=-1)
        less = self.dim - 1
        alpha = self.concentration + 0.5 * less
        under = F["lgamma"](alpha) * less
        over = F["mvlgamma"](alpha - 0.5, less)
        return found - (0.5 * less * math.log(math.pi) + over - under)
