"""The normal distribution."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any, ClassVar

from ..autograd.grad_mode import no_grad
from ..dispatch.offer import FUNCTIONS as F
from . import constraints
from .distribution import Distribution, batch_shape_of, broadcast_all


class Normal(Distribution):
    """The normal distribution with mean `loc` and deviation `scale`."""

    arg_constraints: ClassVar[Any] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    mean = mode = property(attrgetter("loc"), doc="`loc`.")
    stddev = property(attrgetter("scale"), doc="`scale`.")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_shape_of((loc, scale), self.loc), validate_args=validate_args)

    @property
    def variance(self) -> Any:
        """`scale` squared."""
        return self.stddev.pow(2)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return F["normal"](self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values as `loc + eps scale`."""
        shape = self._extended_shape(sample_shape)
        zeros = F["zeros"](shape, dtype=self.loc.dtype)
        eps = F["normal"](zeros, F["ones"](shape, dtype=self.loc.dtype))
        return self.loc + eps * self.scale

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        var = self.scale**2
        log_scale = self.scale.log()
        return -((value - self.loc) ** 2) / (2 * var) - log_scale - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Any) -> Any:
        self._check_value(value)
        scaled = (value - self.loc) * self.scale.reciprocal() / math.sqrt(2)
        return 0.5 * (1 + F["erf"](scaled))

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * F["erfinv"](2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Any:
        """½ + ½ log 2π + log scale."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + F["log"](self.scale)
