"""The transforms of numbers and vectors, each a formula."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arrays.size import Size
from ..dispatch.offer import FUNCTIONS as F
from ..graph.tensor import Tensor
from ..nn.functional import logsigmoid, pad, softplus
from . import constraints
from .distribution import broadcast_all, forwarded_property
from .transform import Transform


def finfo_of(value: Any) -> Any:
    """The limits of a tensor's floating type."""
    return np.finfo(value.dtype.numpy)


def _clamp_probs(probs: Any) -> Any:
    """Probabilities that are neither 0 nor 1."""
    info = finfo_of(probs)
    return F["clamp"](probs, min=float(info.tiny), max=1.0 - float(info.eps))


class _Same(Transform):
    """Those of which all are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))

    __hash__ = Transform.__hash__


class ExpTransform(_Same):
    """exp x."""

    domain, codomain = constraints.real, constraints.positive
    bijective, sign = True, 1

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """x."""
        return x


class PowerTransform(Transform):
    """x to an exponent, of positive numbers."""

    domain = codomain = constraints.positive
    bijective = True
    _arguments = ("exponent",)

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @property
    def sign(self) -> Any:
        """The exponent's."""
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PowerTransform):
            return False
        return bool(self.exponent.eq(other.exponent).all())

    __hash__ = Transform.__hash__

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """log |exponent y / x|."""
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        """Broadcast with the exponent."""
        return F["broadcast_shapes"](shape, self.exponent.shape)

    inverse_shape = forward_shape


class SigmoidTransform(_Same):
    """1 / (1 + exp -x), kept away from 0 and 1."""

    domain, codomain = constraints.real, constraints.unit_interval
    bijective, sign = True, 1

    def _call(self, x: Any) -> Any:
        return _clamp_probs(F["sigmoid"](x))

    def _inverse(self, y: Any) -> Any:
        y = _clamp_probs(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """-log(1 + exp -x) - log(1 + exp x)."""
        return -softplus(-x) - softplus(x)


class SoftplusTransform(_Same):
    """log(1 + exp x)."""

    domain, codomain = constraints.real, constraints.positive
    bijective, sign = True, 1

    def _call(self, x: Any) -> Any:
        return softplus(x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """-log(1 + exp -x)."""
        return -softplus(-x)


class TanhTransform(_Same):
    """tanh x."""

    domain, codomain = constraints.real, constraints.interval(-1.0, 1.0)
    bijective, sign = True, 1

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return F["atanh"](y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """log(1 - tanh² x), computed from x so that large ones keep their digits."""
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(_Same):
    """|x|, which has no inverse; a result stands for its own."""

    domain, codomain = constraints.real, constraints.positive

    def _call(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


class AffineTransform(Transform):
    """loc + scale x."""

    bijective = True
    _arguments = ("loc", "scale", "event_dim")

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    event_dim = forwarded_property("_event_dim")

    @property
    def domain(self) -> Any:
        """All numbers."""
        if self.event_dim == 0:
            return constraints.real
        return constraints.independent(constraints.real, self.event_dim)

    codomain = domain

    @property
    def sign(self) -> Any:
        """The scale's."""
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return 1 if float(self.scale) > 0 else -1 if float(self.scale) < 0 else 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        pairs = ((self.loc, other.loc), (self.scale, other.scale))
        return all(bool(F["as_tensor"](a == b).all()) for a, b in pairs)

    __hash__ = Transform.__hash__

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """log |scale|."""
        shape = x.shape
        if isinstance(self.scale, Tensor):
            found = F["abs"](self.scale).log()
        else:
            found = F["full_like"](x, math.log(abs(self.scale)))
        if self.event_dim:
            found = found.view((*found.size()[: -self.event_dim], -1)).sum(-1)
            shape = shape[: -self.event_dim]
        return found.expand(shape)

    def forward_shape(self, shape: Any) -> Any:
        """Broadcast with `loc` and `scale`."""
        others = (getattr(each, "shape", ()) for each in (self.loc, self.scale))
        return F["broadcast_shapes"](shape, *others)

    inverse_shape = forward_shape


class SoftmaxTransform(_Same):
    """The softmax over the last dim, which has no inverse; a logarithm stands for it."""

    domain, codomain = constraints.real_vector, constraints.simplex

    def _call(self, x: Any) -> Any:
        found = (x - x.max(-1, True)[0]).exp()
        return found / found.sum(-1, True)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        """The same.

        Raises:
            ValueError: no dim.
        """
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(_Same):
    """n numbers as n + 1 of the sum 1: each takes its part of what the former ones left."""

    domain, codomain = constraints.real_vector, constraints.simplex
    bijective = True

    def _call(self, x: Any) -> Any:
        rest = x.shape[-1] + 1 - F["ones_like"](x).cumsum(-1)
        part = _clamp_probs(F["sigmoid"](x - rest.log()))
        left = (1 - part).cumprod(-1)
        return pad(part, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        cut = y[..., :-1]
        rest = y.shape[-1] - F["ones_like"](cut).cumsum(-1)
        left = F["clamp"](1 - cut.cumsum(-1), min=float(finfo_of(y).tiny))
        return cut.log() - left.log() + rest.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The sum of the logarithms of the parts' slopes."""
        rest = x.shape[-1] + 1 - F["ones_like"](x).cumsum(-1)
        x = x - rest.log()
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        """One more."""
        return (*shape[:-1], shape[-1] + 1)

    def inverse_shape(self, shape: Any) -> Any:
        """One less."""
        return (*shape[:-1], shape[-1] - 1)


class LowerCholeskyTransform(_Same):
    """Any matrix as a lower triangle with a positive diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class ReshapeTransform(Transform):
    """The last dims in another shape."""

    bijective = True
    _arguments = ("in_shape", "out_shape")

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @property
    def domain(self) -> Any:
        """All numbers, in `in_shape`."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self) -> Any:
        """All numbers, in `out_shape`."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Any) -> Any:
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Any) -> Any:
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """0."""
        return x.new_zeros(x.size()[: x.dim() - len(self.in_shape)])

    def _reshape_tail(self, shape: Any, old: Size, new: Size) -> Size:
        cut = len(shape) - len(old)
        if cut < 0:
            raise ValueError("Too few dimensions on input")
        if tuple(shape[cut:]) != tuple(old):
            raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
        return Size((*shape[:cut], *new))

    def forward_shape(self, shape: Any) -> Any:
        """With `out_shape` for `in_shape`."""
        return self._reshape_tail(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Any:
        """With `in_shape` for `out_shape`."""
        return self._reshape_tail(shape, self.out_shape, self.in_shape)
