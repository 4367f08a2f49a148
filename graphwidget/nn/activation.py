"""Activation functions and dropout as layers."""

from __future__ import annotations

from typing import Any, ClassVar

from ..arrays.warnings import warn
from ..dispatch.offer import FUNCTIONS
from ..functions.creation.factories import empty
from ..graph.tensor import Tensor
from . import functional, init
from .module import Module
from .module_base import OwnMethods
from .module_utils import _FunctionalLayer, repr_options
from .parameter import Parameter

__all__ = [
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Dropout",
    "Dropout1d",
    "Dropout2d",

    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
    "Threshold",
]  # fmt: skip


class _Activation(_FunctionalLayer, Module):
    """Base of activations without options."""

    def forward(self, input: Tensor) -> Tensor:
        return self._call_function(input)


class _InPlace(_FunctionalLayer, Module):
    """Base of activations that may write into their input."""

    extra_repr = repr_options(flag="inplace")

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = getattr(functional, self._function)(input, inplace=self.inplace)
        return found


class ReLU(_InPlace):
    """max(x, 0)."""

    _function = "relu"


class ReLU6(_InPlace):
    """x between 0 and 6."""

    _function = "relu6"


class LeakyReLU(Module):
    """x where it is positive, else negative_slope · x."""

    extra_repr = repr_options("negative_slope", flag="inplace")

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return functional.leaky_relu(input, self.negative_slope, self.inplace)


class ELU(Module):
    """x where it is positive, else alpha · (exp(x) − 1)."""

    extra_repr = repr_options("alpha", flag="inplace")

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return functional.elu(input, self.alpha, self.inplace)


class SELU(_InPlace):
    """ELU, scaled so that mean and variance stay (Klambauer et al., 2017)."""

    _function = "selu"


class SiLU(_InPlace):
    """x · sigmoid(x)."""

    _function = "silu"


class Mish(_InPlace):
    """x · tanh(softplus(x))."""

    _function = "mish"


class GELU(Module):
    """x · Φ(x), with the normal distribution function or its approximation by "tanh"."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Sigmoid(Module):
    """1 / (1 + exp(−x))."""

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = FUNCTIONS["sigmoid"](input)
        return found


class LogSigmoid(_Activation):
    """log(1 / (1 + exp(−x)))."""

    _function = "logsigmoid"


class Hardsigmoid(_InPlace):
    """x / 6 + 1/2, between 0 and 1."""

    _function = "hardsigmoid"
    extra_repr = Module.extra_repr


class Hardswish(_InPlace):
    """x · hardsigmoid(x)."""

    _function = "hardswish"
    extra_repr = Module.extra_repr


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = FUNCTIONS["tanh"](input)
        return found


class Softsign(_Activation):
    """x / (1 + |x|)."""

    _function = "softsign"


class Softplus(Module):
    """log(1 + exp(beta · x)) / beta; x itself where beta · x > threshold."""

    extra_repr = repr_options("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return functional.softplus(input, self.beta, self.threshold)


class Hardtanh(Module):
    """x between min_val and max_val.

    Raises:
        AssertionError: max_val is not greater.
    """

    extra_repr = repr_options("min_val", "max_val", flag="inplace")

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        for name, value in (("min_val", min_value), ("max_val", max_value)):
            if value is not None:
                warn(
                    f"keyword argument `{name}ue` is deprecated and renamed to `{name}`",
                    FutureWarning,
                )
        self.min_val = min_val = min_val if min_value is None else min_value
        self.max_val = max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)


class Threshold(Module):
    """x where it exceeds the threshold, else the value."""

    extra_repr = repr_options("threshold", "value", flag="inplace")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return functional.threshold(input, self.threshold, self.value, self.inplace)


class _AlongDim(_FunctionalLayer, Module):
    """The part of those that are softmax of something, or something of softmax."""

    extra_repr = repr_options("dim")

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = getattr(functional, self._function)(input, self.dim, _stacklevel=5)
        return found


class Softmax(_AlongDim):
    """exp(x) over its sum along a dim."""

    _function = "softmax"


class LogSoftmax(_AlongDim):
    """The logarithm of `Softmax`."""

    _function = "log_softmax"


class GLU(Module):
    """The first half of x along a dim times the sigmoid of the second (Dauphin et al., 2017)."""

    extra_repr = repr_options("dim")

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return functional.glu(input, self.dim)


class PReLU(Module):
    """x where it is positive, else a learnt weight (one, or one for each channel) times x."""

    extra_repr = repr_options("num_parameters")

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Start with `init` everywhere."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return functional.prelu(input, self.weight)


class _DropoutNd(OwnMethods, Module):
    _own = ("forward",)
    _function: ClassVar[str]
    extra_repr = repr_options("p", "inplace")

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input; in training with parts of it zero and the rest scaled by 1 / (1 - p)."""
        drop = getattr(functional, self._function)
        return drop(input, self.p, self.training, self.inplace)  # type: ignore[no-any-return]


class Dropout(_DropoutNd):
    """Each item is zero with probability p (Hinton et al., 2012)."""

    _function = "dropout"


class Dropout1d(_DropoutNd):
    """Each channel of (N, C, L) or (C, L) is zero with probability p."""

    _function = "dropout1d"


class Dropout2d(_DropoutNd):
    """Each channel of (N, C, H, W) is zero with probability p."""

    _function = "dropout2d"
