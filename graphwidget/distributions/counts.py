"""Distributions of counts: Poisson, geometric, binomial, multinomial."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..arrays.size import Size
from ..autograd.grad_mode import no_grad
from ..dispatch.offer import FUNCTIONS as F
from ..nn.functional import binary_cross_entropy_with_logits, logsigmoid
from . import constraints
from .bernoulli_categorical import ByProbability, Categorical
from .distribution import Distribution, batch_shape_of, broadcast_all, forwarded_property
from .exp_family import ExponentialFamily, family
from .gamma_beta import Gamma


@family(lambda self: (F["log"](self.rate),), F["exp"])
class Poisson(ExponentialFamily):
    """How often something happens that happens `rate` times on average."""

    arg_constraints: ClassVar[Any] = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    _batched = ("rate",)
    mean = variance = forwarded_property("rate")

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(batch_shape_of((rate,), self.rate), validate_args=validate_args)

    @property
    def mode(self) -> Any:
        """`rate`, rounded down."""
        return self.rate.floor()

    def sample(self, sample_shape: Any = ()) -> Any:
        """Counts."""
        with no_grad():
            return F["poisson"](self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()


class Geometric(ByProbability):
    """How many trials fail before one succeeds."""

    support = constraints.nonnegative_integer

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        _, given = self._take(probs, logits)
        super().__init__(batch_shape_of((given,), self._param), validate_args=validate_args)
        if self._validate_args and probs is not None:
            value = self.probs
            if not (value > 0).all():
                invalid = value.data[~(value > 0)]
                raise ValueError(
                    f"Expected parameter probs ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to be positive but found "
                    f"invalid values:\n{invalid}"
                )

    @property
    def mean(self) -> Any:
        """1 / p - 1."""
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Any:
        """0."""
        return F["zeros_like"](self.probs)

    @property
    def variance(self) -> Any:
        """(1 / p - 1) / p."""
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = ()) -> Any:
        """Counts, from uniform numbers."""
        shape = self._extended_shape(sample_shape)
        tiny = float(np.finfo(self.probs.dtype.numpy).tiny)
        with no_grad():
            u = self.probs.new_empty(shape).uniform_(tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone()
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Any:
        cross = binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
        return cross / self.probs


class Binomial(ByProbability):
    """How many of `total_count` trials succeed."""

    arg_constraints: ClassVar[Any] = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True
    _batched = ("total_count",)

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        (self.total_count,), _ = self._take(probs, logits, total_count)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """0 to `total_count`."""
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Any:
        """n p."""
        return self.total_count * self.probs

    @property
    def mode(self) -> Any:
        """(n + 1) p, rounded down."""
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Any:
        """n p (1 - p)."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Counts."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return F["binomial"](self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        n, logits = self.total_count, self.logits
        all_ways, chosen, rest = (F["lgamma"](each + 1) for each in (n, value, n - value))
        above = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        norm = n * above + n * F["log1p"](F["exp"](-F["abs"](logits))) - all_ways
        return value * logits - chosen - rest - norm

    def entropy(self) -> Any:
        """The expectation of minus the log probability, of one `total_count`.

        Raises:
            NotImplementedError: there are several.
        """
        if not self.total_count.min() == int(self.total_count.max()):
            raise NotImplementedError("Inhomogeneous total count not supported by `entropy`.")
        found = self.log_prob(self.enumerate_support(False))
        return -(F["exp"](found) * found).sum(0)

    def enumerate_support(self, expand: bool = True) -> Any:
        """0 to `total_count`, which must be one number.

        Raises:
            NotImplementedError: it is not.
        """
        total = int(self.total_count.max())
        if not self.total_count.min() == total:
            raise NotImplementedError(
                "Inhomogeneous total count not supported by `enumerate_support`."
            )
        return self._enumerate_values(F["arange"](1 + total, dtype=self._param.dtype), expand)


class NegativeBinomial(ByProbability):
    """How many trials succeed, each with a chance, before `total_count` of them fail."""

    arg_constraints: ClassVar[Any] = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer
    _batched = ("total_count",)

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        (self.total_count,), _ = self._take(probs, logits, total_count)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """n p / (1 - p)."""
        return self.total_count * F["exp"](self.logits)

    @property
    def mode(self) -> Any:
        """(n - 1) p / (1 - p), rounded down."""
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Any:
        """n p / (1 - p)²."""
        return self.mean / F["sigmoid"](-self.logits)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Counts, Poisson's with gamma rates."""
        with no_grad():
            rates = Gamma(self.total_count, F["exp"](-self.logits), validate_args=False)
            return F["poisson"](rates.sample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        n, logits = self.total_count, self.logits
        chances = n * logsigmoid(-logits) + value * logsigmoid(logits)
        ways = -F["lgamma"](n + value) + F["lgamma"](1.0 + value) + F["lgamma"](n)
        return chances - ways.masked_fill(n + value == 0.0, 0.0)


class Multinomial(Distribution):
    """How often each number comes in `total_count` draws of a categorical distribution."""

    arg_constraints = Categorical.arg_constraints
    _kept = ("total_count",)
    _batched = ("_categorical",)
    logits = forwarded_property("_categorical.logits")
    probs = forwarded_property("_categorical.probs")

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        shape = self._categorical.batch_shape
        super().__init__(shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        """Counts of the sum `total_count`."""
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Any:
        """n p."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Any:
        """n p (1 - p)."""
        return self.total_count * self.probs * (1 - self.probs)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._categorical.param_shape

    def _expanded_attributes(self, batch_shape: Size) -> dict[str, Any]:
        wide = super()._expanded_attributes(batch_shape)
        binomial = Binomial(self.total_count, probs=wide["_categorical"].probs)
        return wide | {"_binomial": binomial}

    def sample(self, sample_shape: Any = ()) -> Any:
        """Counts of each number."""
        shape = Size(sample_shape)
        drawn = self._categorical.sample(Size((self.total_count,)) + shape)
        drawn = drawn.permute((*range(1, drawn.dim()), 0))
        counts = drawn.new(self._extended_shape(shape)).zero_()
        counts.scatter_add_(-1, drawn, F["ones_like"](drawn))
        return counts.type_as(self.probs)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone()
        ways = F["lgamma"](value.sum(-1) + 1) - F["lgamma"](value + 1).sum(-1)
        logits[(value == 0) & (logits == -float("inf"))] = 0
        return ways + (logits * value).sum(-1)

    def entropy(self) -> Any:
        n = F["tensor"](self.total_count)
        ordered = n * self._categorical.entropy() - F["lgamma"](n + 1)
        support = self._binomial.enumerate_support(expand=False)[1:]
        probs = F["exp"](self._binomial.log_prob(support))
        return ordered + (probs * F["lgamma"](support + 1)).sum([0, -1])
