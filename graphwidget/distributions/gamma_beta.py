"""The gamma, χ², beta, Dirichlet and Student's t distributions."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from ..arrays.size import Size
from ..autograd.function import Function
from ..dispatch.offer import FUNCTIONS as F
from ..functions.random.sampling import standard_gamma
from ..nn.functional import one_hot
from ..optable.special.gamma_kernels import digamma, incomplete_gammas
from . import constraints
from .distribution import Distribution, batch_shape_of, broadcast_all, forwarded_property
from .elementary_transforms import finfo_of
from .exp_family import ExponentialFamily, family


def gamma_gradient(a: Any, x: Any) -> Any:
    """How a gamma value moves with its concentration while its quantile stays (implicit
    reparametrization; Figurnov et al., 2018): the slope of the smaller share, by differences."""
    step = 1e-4 * np.where(a < 1, a, np.sqrt(a))
    before, after = incomplete_gammas(a - step, x), incomplete_gammas(a + step, x)
    lower = before[0] < 0.5
    low: Any = np.where(lower, *before)
    high: Any = np.where(lower, *after)
    moved = np.where(lower, -1, 1) * (high - low) / (2 * step)
    log_gamma = np.vectorize(math.lgamma, otypes=[float])(a)
    return moved / np.exp((a - 1) * np.log(x) - x - log_gamma)


def _nodes() -> tuple[Any, Any, Any]:
    """Points between 0 and 1, their logarithms, and weights (tanh-sinh quadrature, which bears
    singular ends; H. Takahasi and M. Mori, 1974)."""
    place = np.arange(-5.5, 3.5, 0.05)
    log_point = -np.logaddexp(0, -np.pi * np.sinh(place))
    point = np.exp(log_point)
    return point, log_point, 0.05 * np.pi * np.cosh(place) * point * -np.expm1(log_point)


POINTS, LOG_POINTS, WEIGHTS = _nodes()


def beta_gradient(a: Any, b: Any, x: Any) -> Any:
    """How a beta value moves with its first concentration while its quantile stays: the integral of
    the density's derivative on the smaller side, by the density."""
    below = x < a / (a + b)
    near, far = np.where(below, x, 1 - x)[..., None], np.where(below, 1 - x, x)[..., None]
    low, high = np.where(below, a, b)[..., None], np.where(below, b, a)[..., None]
    log_rest = np.log1p(-near * POINTS)
    density = np.exp((low - 1) * LOG_POINTS + (high - 1) * (log_rest - np.log(far)))
    log_value = np.where(below[..., None], np.log(near) + LOG_POINTS, log_rest)
    mean = (digamma(a) - digamma(a + b))[..., None]
    area = (WEIGHTS * density * (log_value - mean)).sum(-1) * near[..., 0]
    return np.where(below, -area, area)


class _StandardGamma(Function):
    """Gamma values of rate 1, with gradients by the concentration."""

    @staticmethod
    def forward(ctx: Any, concentration: Any) -> Any:
        drawn = F["from_numpy"](standard_gamma(concentration.detach().numpy()))
        ctx.save_for_backward(concentration, drawn)
        return drawn

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        a, x = (each.detach().numpy().astype(np.float64) for each in ctx.saved_tensors)
        return grad * F["from_numpy"](gamma_gradient(a, x)).to(grad.dtype)


class _Dirichlet(Function):
    """Shares of the sum of gamma values."""

    @staticmethod
    def forward(ctx: Any, concentration: Any) -> Any:
        drawn = standard_gamma(concentration.detach().double().numpy())
        found = F["from_numpy"](drawn / drawn.sum(-1, keepdims=True)).to(concentration.dtype)
        found = found.clamp(min=float(finfo_of(found).tiny))
        ctx.save_for_backward(found, concentration)
        return found

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        parts, concentration = ctx.saved_tensors
        x, a = (each.detach().numpy().astype(np.float64) for each in (parts, concentration))
        x = np.minimum(x, 1 - 2.0**-53)  # a share may be rounded to 1
        slope = beta_gradient(a, a.sum(-1, keepdims=True) - a, x) / (1 - x)
        moved = grad - (parts * grad).sum(-1, True)
        return F["from_numpy"](slope).to(grad.dtype) * moved


@family(
    lambda self: (self.concentration - 1, -self.rate),
    lambda x, y: F["lgamma"](x + 1) + (x + 1) * F["log"](-y.reciprocal()),
)
class Gamma(ExponentialFamily):
    """The gamma distribution: the time until something happens for the `concentration`-th time that
    happens `rate` times in a unit of time."""

    arg_constraints: ClassVar[Any] = {
        "concentration": constraints.positive, "rate": constraints.positive
    }  # fmt: skip
    support = constraints.nonnegative
    has_rsample = True
    _batched = ("concentration", "rate")

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        shape = batch_shape_of((concentration, rate), self.concentration)
        super().__init__(shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """concentration / rate."""
        return self.concentration / self.rate

    @property
    def mode(self) -> Any:
        """(concentration - 1) / rate, or 0."""
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Any:
        """concentration / rate²."""
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values of rate 1, divided by the rate."""
        shape = self._extended_shape(sample_shape)
        value = _StandardGamma.apply(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=float(finfo_of(value).tiny))
        return value

    def log_prob(self, value: Any) -> Any:
        value = F["as_tensor"](value, dtype=self.rate.dtype)
        self._check_value(value)
        return (
            F["xlogy"](self.concentration, self.rate)
            + F["xlogy"](self.concentration - 1, value)
            - self.rate * value
            - F["lgamma"](self.concentration)
        )

    def entropy(self) -> Any:
        a = self.concentration
        return a - F["log"](self.rate) + F["lgamma"](a) + (1.0 - a) * F["digamma"](a)

    def cdf(self, value: Any) -> Any:
        self._check_value(value)
        return F["igamma"](self.concentration, self.rate * value)


class Chi2(Gamma):
    """The sum of `df` squared standard normals."""

    arg_constraints: ClassVar[Any] = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Any:
        """Twice the concentration."""
        return self.concentration * 2


@family(
    lambda self: (self.concentration,),
    lambda x: x.lgamma().sum(-1) - F["lgamma"](x.sum(-1)),
)
class Dirichlet(ExponentialFamily):
    """Positive numbers of the sum 1."""

    arg_constraints: ClassVar[Any] = {
        "concentration": constraints.independent(constraints.positive, 1)
    }
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """The concentrations, brought to the sum 1."""
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Any:
        """The same, of the concentrations less 1."""
        less = (self.concentration - 1).clamp(min=0.0)
        mode = less / less.sum(-1, True)
        flat = (self.concentration < 1).all(dim=-1)
        mode[flat] = one_hot(mode[flat].argmax(dim=-1), less.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Any:
        """The variances of the parts."""
        total = self.concentration.sum(-1, True)
        rest = total - self.concentration
        return self.concentration * rest / (total.pow(2) * (total + 1))

    def _expanded_attributes(self, batch_shape: Size) -> dict[str, Any]:
        shape = batch_shape + self.event_shape
        return {"concentration": self.concentration.expand(shape)}

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Shares of gamma values."""
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return (
            F["xlogy"](self.concentration - 1.0, value).sum(-1)
            + F["lgamma"](self.concentration.sum(-1))
            - F["lgamma"](self.concentration).sum(-1)
        )

    def entropy(self) -> Any:
        k = self.concentration.size(-1)
        total = self.concentration.sum(-1)
        return (
            F["lgamma"](self.concentration).sum(-1)
            - F["lgamma"](total)
            - (k - total) * F["digamma"](total)
            - ((self.concentration - 1.0) * F["digamma"](self.concentration)).sum(-1)
        )


@family(
    lambda self: (self.concentration1, self.concentration0),
    lambda x, y: F["lgamma"](x) + F["lgamma"](y) - F["lgamma"](x + y),
)
class Beta(ExponentialFamily):
    """Numbers between 0 and 1: the first of two Dirichlet shares."""

    arg_constraints: ClassVar[Any] = {
        "concentration1": constraints.positive, "concentration0": constraints.positive
    }  # fmt: skip
    support = constraints.unit_interval
    has_rsample = True
    _batched = ("_dirichlet",)

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        if isinstance(concentration1, int | float) and isinstance(concentration0, int | float):
            both = F["tensor"]([float(concentration1), float(concentration0)])
        else:
            both = F["stack"](broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    @property
    def concentration1(self) -> Any:
        """The share's own concentration."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Any:
        """The concentration of the rest."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Any:
        """Its part of the concentrations."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Any:
        """The likeliest value."""
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Any:
        """The variance."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """First shares."""
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return self._dirichlet.log_prob(F["stack"]([value, 1.0 - value], -1))

    def entropy(self) -> Any:
        return self._dirichlet.entropy()


class StudentT(Distribution):
    """Student's distribution of `df` degrees of freedom, moved to `loc` and stretched."""

    arg_constraints: ClassVar[Any] = {
        "df": constraints.positive, "loc": constraints.real, "scale": constraints.positive
    }  # fmt: skip
    support = constraints.real
    has_rsample = True
    _batched = ("_chi2", "df", "loc", "scale")
    mode = forwarded_property("loc")

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """`loc`; nan up to one degree of freedom."""
        found = self.loc.clone()
        found[self.df <= 1] = math.nan
        return found

    @property
    def variance(self) -> Any:
        """scale² df / (df - 2); inf up to two degrees of freedom, nan up to one."""
        found, df = self.df.clone(), self.df
        found[df > 2] = self.scale[df > 2].pow(2) * df[df > 2] / (df[df > 2] - 2)
        found[(df <= 2) & (df > 1)] = math.inf
        found[df <= 1] = math.nan
        return found

    def rsample(self, sample_shape: Any = ()) -> Any:
        """A normal value by the root of a mean square."""
        shape = self._extended_shape(sample_shape)
        zeros, ones = (F[name](shape, dtype=self.df.dtype) for name in ("zeros", "ones"))
        x = F["normal"](zeros, ones)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * F["rsqrt"](z / self.df))

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        y = (value - self.loc) / self.scale
        z = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + F["lgamma"](0.5 * self.df)
            - F["lgamma"](0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * F["log1p"](y**2.0 / self.df) - z

    def entropy(self) -> Any:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        beta = F["lgamma"](half) + math.lgamma(0.5) - F["lgamma"](more)
        digammas = F["digamma"](more) - F["digamma"](half)
        return self.scale.log() + more * digammas + 0.5 * self.df.log() + beta
