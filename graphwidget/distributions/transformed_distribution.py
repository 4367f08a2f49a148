"""``TransformedDistribution``, and distributions that are defined by a transform of another."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..arrays.size import Size
from ..autograd.grad_mode import no_grad
from ..dispatch.offer import FUNCTIONS as F
from . import constraints
from .continuous import Cauchy, Normal, Uniform
from .distribution import Distribution, broadcast_all, forwarded_property
from .elementary_transforms import finfo_of
from .independent import Independent, sum_rightmost
from .transform import ComposeTransform, Transform
from .transforms import AbsTransform, AffineTransform, ExpTransform, StickBreakingTransform

EULER = 0.57721566490153286060
"""Euler's constant, the mean of Gumbel's distribution."""


class TransformedDistribution(Distribution):
    """The distribution of what transforms make, one after the other, of a base's values.

    Raises:
        ValueError: something else than transforms, or a base of too few dims.
    """

    arg_constraints: ClassVar[Any] = {}

    def __init__(
        self, base_distribution: Any, transforms: Any, validate_args: bool | None = None
    ) -> None:
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(each, Transform) for each in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        shape = base_distribution.batch_shape + base_distribution.event_shape
        base_dim = len(base_distribution.event_shape)
        whole = ComposeTransform(self.transforms)
        if len(shape) < whole.domain.event_dim:
            raise ValueError(
                "base_distribution needs to have shape with size at least "
                f"{whole.domain.event_dim}, but got {shape}."
            )
        made = Size(whole.forward_shape(shape))
        wide = Size(whole.inverse_shape(made))
        if shape != wide:
            base_distribution = base_distribution.expand(wide[: len(wide) - base_dim])
        if whole.domain.event_dim > base_dim:
            base_distribution = Independent(base_distribution, whole.domain.event_dim - base_dim)
        self.base_dist = base_distribution
        dims = whole.codomain.event_dim + max(base_dim - whole.domain.event_dim, 0)
        cut = len(made) - dims
        super().__init__(made[:cut], made[cut:], validate_args=validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether the base's values have gradients."""
        return bool(self.base_dist.has_rsample)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """The last transform's codomain."""
        if not self.transforms:
            return self.base_dist.support
        found = self.transforms[-1].codomain
        extra = len(self.event_shape) - found.event_dim
        return constraints.independent(found, extra) if extra > 0 else found

    def _expanded_attributes(self, batch_shape: Size) -> dict[str, Any]:
        wide = super()._expanded_attributes(batch_shape)
        whole = ComposeTransform(self.transforms)
        shape = Size(whole.inverse_shape(batch_shape + self.event_shape))
        cut = len(shape) - len(self.base_dist.event_shape)
        base = self.base_dist.expand(shape[:cut])
        return wide | {"transforms": self.transforms, "base_dist": base}

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            return self._apply_transforms(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self._apply_transforms(self.base_dist.rsample(sample_shape))

    def _apply_transforms(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Any) -> Any:
        """The base's, less the logarithms of the slopes."""
        self._check_value(value)
        dims, found = len(self.event_shape), 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            slope = transform.log_abs_det_jacobian(x, y)
            found = found - sum_rightmost(slope, dims - transform.domain.event_dim)
            y = x
        inner = self.base_dist.log_prob(y)
        return found + sum_rightmost(inner, dims - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value: Any) -> Any:
        """A probability, seen from the other end where the transforms turn their values around."""
        sign = math.prod((transform.sign for transform in self.transforms), start=1)
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5

    def cdf(self, value: Any) -> Any:
        """The base's, of what the value was made of."""
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Any:
        """What is made of the base's."""
        return self._apply_transforms(self.base_dist.icdf(self._monotonize_cdf(value)))


class LogNormal(TransformedDistribution):
    """exp of normal values."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True
    loc = forwarded_property("base_dist.loc")
    scale = forwarded_property("base_dist.scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """exp(loc + scale² / 2)."""
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Any:
        """exp(loc - scale²)."""
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Any:
        """(exp scale² - 1) exp(2 loc + scale²)."""
        squared = self.scale.pow(2)
        return squared.expm1() * (2 * self.loc + squared).exp()

    def entropy(self) -> Any:
        """The normal's and `loc`."""
        return self.base_dist.entropy() + self.loc


class _Half(TransformedDistribution):
    """The absolute values of a distribution about 0."""

    arg_constraints: ClassVar[Any] = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _whole: Any
    scale = forwarded_property("base_dist.scale")

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base = self._whole(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    @property
    def mode(self) -> Any:
        """0."""
        return F["zeros_like"](self.scale)

    def cdf(self, value: Any) -> Any:
        self._check_value(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Any) -> Any:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Any:
        """The whole's less log 2."""
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """The absolute values of normal ones about 0."""

    _whole = Normal

    @property
    def mean(self) -> Any:
        """scale √(2 / π)."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Any:
        """scale² (1 - 2 / π)."""
        return self.scale.pow(2) * (1 - 2 / math.pi)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        found = self.base_dist.log_prob(value) + math.log(2)
        return F["where"](value >= 0, found, -math.inf)


class HalfCauchy(_Half):
    """The absolute values of Cauchy's about 0."""

    _whole = Cauchy
    variance = forwarded_property("base_dist.variance")

    @property
    def mean(self) -> Any:
        """inf."""
        return F["full"](self._extended_shape(), math.inf, dtype=self.scale.dtype)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        value = F["as_tensor"](value, dtype=self.base_dist.scale.dtype)
        found = self.base_dist.log_prob(value) + math.log(2)
        return F["where"](value >= 0, found, -math.inf)


class Gumbel(TransformedDistribution):
    """The largest of many values, as Gumbel's distribution with `loc` and `scale`."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    _batched = ("loc", "scale")
    mode = forwarded_property("loc")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        info = finfo_of(self.loc)
        if isinstance(loc, int | float) and isinstance(scale, int | float):
            base = Uniform(float(info.tiny), 1 - float(info.eps), validate_args=validate_args)
        else:
            base = Uniform(
                F["full_like"](self.loc, float(info.tiny)),
                F["full_like"](self.loc, 1 - float(info.eps)),
                validate_args=validate_args,
            )
        steps = [
            ExpTransform().inv, AffineTransform(loc=0, scale=-F["ones_like"](self.scale)),
            ExpTransform().inv, AffineTransform(loc=loc, scale=-self.scale),
        ]  # fmt: skip
        super().__init__(base, steps, validate_args=validate_args)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Any:
        """loc + scale times Euler's constant."""
        return self.loc + self.scale * EULER

    @property
    def stddev(self) -> Any:
        """scale π / √6."""
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Any:
        """Its square."""
        return self.stddev.pow(2)

    def entropy(self) -> Any:
        """log scale + 1 + Euler's constant."""
        return self.scale.log() + (1 + EULER)


class LogisticNormal(TransformedDistribution):
    """Shares of the sum 1 that sticks broken by normal values make."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    loc = forwarded_property("base_dist.base_dist.loc")
    scale = forwarded_property("base_dist.base_dist.scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)
