"""``LKJCholesky``: random correlations, as their Cholesky factors."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..arrays.size import Size
from ..autograd.grad_mode import no_grad
from ..dispatch.offer import FUNCTIONS as F
from . import constraints
from .distribution import Distribution, broadcast_all
from .elementary_transforms import finfo_of
from .gamma_beta import Beta


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
