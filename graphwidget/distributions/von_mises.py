"""The von Mises distribution, of angles."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any, ClassVar

from ..autograd.grad_mode import no_grad
from ..dispatch.offer import FUNCTIONS as F
from . import constraints
from .distribution import Distribution, broadcast_all, forwarded_property, lazy_property

# Polynomials of the modified Bessel functions of orders 0 and 1: Abramowitz and Stegun, 9.8.1 to
# 9.8.4, the highest power last.
_NEAR = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_FAR = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1,
     0.2635537e-1, -0.1647633e-1, 0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1,
     -0.2895312e-1, 0.1787654e-1, -0.420059e-2),
)  # fmt: skip


def _polynomial(at: Any, coefficients: tuple[float, ...]) -> Any:
    last, *others = reversed(coefficients)
    return reduce(lambda value, each: each + at * value, others, last)


def log_bessel(x: Any, order: int = 0) -> Any:
    """The logarithm of the modified Bessel function of the first kind, of order 0 or 1."""
    y = x / 3.75
    near = _polynomial(y * y, _NEAR[order])
    if order == 1:
        near = x.abs() * near
    near = near.log()
    far = x - 0.5 * x.log() + _polynomial(3.75 / x, _FAR[order]).log()
    return F["where"](x < 3.75, near, far)


class VonMises(Distribution):
    """Angles about `loc`, in radians, the closer the higher the `concentration`."""

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real, "concentration": constraints.positive
    }  # fmt: skip
    support = constraints.real
    mean = mode = forwarded_property("loc")

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        found = self.concentration * F["cos"](value - self.loc)
        return found - math.log(2 * math.pi) - log_bessel(self.concentration)

    @lazy_property
    def _proposal(self) -> Any:
        """The parameter of the wrapped Cauchy distribution from which values are proposed."""
        kappa = self.concentration.double()
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        found = (1 + rho**2) / (2 * rho)
        return F["where"](kappa < 1e-5, 1 / kappa + kappa, found)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Values without gradient, by Best and Fisher's rejection (Applied Statistics 28, 1979)."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            loc, kappa, r = self.loc.double(), self.concentration.double(), self._proposal
            x = F["zeros"](shape, dtype=loc.dtype)
            done = x > 0
            while not done.all():
                first, second, third = F["rand"]((3, *shape), dtype=loc.dtype).unbind()
                z = F["cos"](math.pi * first)
                f = (1 + r * z) / (r + z)
                c = kappa * (r - f)
                taken = (c * (2 - c) - second > 0) | ((c / second).log() + 1 - c >= 0)
                x = F["where"](taken, (third - 0.5).sign() * f.acos(), x)
                done = done | taken
            turned = (x + math.pi + loc) % (2 * math.pi) - math.pi
            return turned.to(self.loc.dtype)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same with parameters of another shape."""
        loc, concentration = self.loc.expand(batch_shape), self.concentration.expand(batch_shape)
        checked = self.__dict__.get("_validate_args")
        return type(self)(loc, concentration, validate_args=checked)

    @lazy_property
    def variance(self) -> Any:
        """The circular variance."""
        ratio = log_bessel(self.concentration, 1) - log_bessel(self.concentration)
        return 1 - ratio.exp()
