"""``torch.nn.init``: starting values for parameters, written in place."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..absent import refuse_others
from ..arrays.warnings import warn
from ..autograd.grad_mode import no_grad
from ..eager.overridable import overridable
from ..functions.pointwise.arithmetic import where
from ..functions.random.generator import Generator
from ..graph.tensor import Tensor

_GAINS = {
    **dict.fromkeys(("linear", "sigmoid", "conv1d", "conv2d"), 1),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d"), 1),
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,
}


def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Uniform numbers in [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Normal numbers."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Normal numbers within [a, b]: those outside are drawn again.

    Warns:
        UserWarning: the mean lies far outside, so that few draws are kept.
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            "values may be incorrect.",
        )
    with no_grad():
        if _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std) > 0.3:
            return _redraw_outside(tensor, mean, std, a, b, generator)
        return _accept_reject_uniform(tensor, mean, std, a, b, generator)


def _normal_cdf(x: float) -> float:
    """The part of the normal distribution below x."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _redraw_outside(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> Tensor:
    """Draw from the normal distribution until all lie within the bounds."""
    low, high = (tensor._data.dtype.type(bound).item() for bound in (a, b))
    result = tensor.normal_(mean, std, generator=generator)
    while True:
        outside = (result < low) | (result > high)
        if not outside.any():
            break
        again = Tensor._wrap(np.empty_like(tensor._data)).normal_(mean, std, generator=generator)
        result = where(outside, again, result)
    return tensor if result is tensor else tensor.copy_(result)


def _accept_reject_uniform(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> Tensor:
    """Draw uniformly and accept by the density, until all are accepted."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def refused(candidates: Tensor) -> Tensor:
        density = candidates.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        chance = Tensor._wrap(np.empty_like(tensor._data))
        return chance.uniform_(generator=generator).log_().gt(density)

    result = tensor.uniform_(a, b, generator=generator)
    pending = refused(result)
    while pending.any():
        candidates = Tensor._wrap(np.empty_like(tensor._data)).uniform_(a, b, generator=generator)
        result = where(pending, candidates, result)
        pending = where(pending, refused(candidates), pending)
    return tensor if result is tensor else tensor.copy_(result)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """The same number everywhere."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    with no_grad():
        return tensor.zero_()


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """A matrix with orthogonal rows or columns, times `gain` (Saxe et al., 2014).

    Raises:
        ValueError: fewer than two dims.
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.shape[0]
    shape = (rows, tensor.numel() // rows)
    drawn = Tensor._wrap(np.empty(shape, tensor._data.dtype)).normal_(0, 1, generator=generator)
    wide = shape[0] < shape[1]
    q, r = np.linalg.qr(drawn._data.T if wide else drawn._data)
    q *= np.sign(np.diag(r))
    with no_grad():
        tensor.copy_(Tensor._wrap((q.T if wide else q).reshape(tensor.shape)))
        return tensor.mul_(gain)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which a nonlinearity asks for larger weights.

    Raises:
        ValueError: an unknown nonlinearity, or a slope that is no number.
    """
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def fans(tensor: Tensor) -> tuple[int, int]:
    """Return how many numbers each output, and each input, of a weight is connected to.

    Raises:
        ValueError: the weight has fewer than two dimensions.
    """
    if tensor.ndim < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


_calculate_fan_in_and_fan_out = fans  # PyTorch's name, which programs know


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Glorot and Bengio (2010), uniform."""
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(sum(fans(tensor)))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Glorot and Bengio (2010), normal."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(fans(tensor)))), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """He et al. (2015), uniform; `a` is the slope of a leaky ReLU."""
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """He et al. (2015), normal."""
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _calculate_correct_fan(tensor: Tensor, mode: Any) -> int:
    modes = ("fan_in", "fan_out")
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {list(modes)}")
    return fans(tensor)[modes.index(mode.lower())]


def _kaiming_std(tensor: Tensor, a: float, mode: Any, nonlinearity: str) -> float:
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _make_deprecate(new: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function under its old name, without the underscore, which warns."""
    name = new.__name__.removesuffix("_")

    @functools.wraps(new)
    def old(*args: Any, **kwargs: Any) -> Tensor:
        warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
            FutureWarning,
        )
        return new(*args, **kwargs)

    old.__name__ = old.__qualname__ = name
    return old


uniform, normal, constant = (
    _make_deprecate(uniform_),
    _make_deprecate(normal_),
    _make_deprecate(constant_),
)
orthogonal = _make_deprecate(orthogonal_)
xavier_uniform, xavier_normal = _make_deprecate(xavier_uniform_), _make_deprecate(xavier_normal_)
kaiming_uniform, kaiming_normal = (
    _make_deprecate(kaiming_uniform_),
    _make_deprecate(kaiming_normal_),
)

OVERRIDABLE = "uniform_", "normal_", "constant_", "kaiming_uniform_"
for _name in OVERRIDABLE:
    globals()[_name] = overridable(globals()[_name])

refuse_others(__name__)
