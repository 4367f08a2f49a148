"""Activations as modules, item by item."""

from __future__ import annotations

from ..core.public import FUNCTIONS
from ..core.tensor import Tensor
from ..core.warning import warn
from . import functional
from .module import Module


class _InPlace(Module):
    """The part of those that may write into their input."""

    inplace: bool

    def extra_repr(self) -> str:
        """Whether it writes in place."""
        return "inplace=True" if self.inplace else ""

    def _with_inplace(self, options: str) -> str:
        return options + (", inplace=True" if self.inplace else "")


class ReLU(_InPlace):
    """max(x, 0)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.relu(input, inplace=self.inplace)


class ReLU6(_InPlace):
    """x between 0 and 6."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.relu6(input, inplace=self.inplace)


class LeakyReLU(_InPlace):
    """x where it is positive, else negative_slope · x."""

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return self._with_inplace(f"negative_slope={self.negative_slope}")


class RReLU(_InPlace):
    """Leaky ReLU with a slope drawn from [lower, upper] in training, their mean in evaluation."""

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return self._with_inplace(f"lower={self.lower}, upper={self.upper}")


class ELU(_InPlace):
    """x where it is positive, else alpha · (exp(x) − 1)."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return self._with_inplace(f"alpha={self.alpha}")


class CELU(_InPlace):
    """max(0, x) + min(0, alpha · (exp(x / alpha) − 1))."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return self._with_inplace(f"alpha={self.alpha}")


class SELU(_InPlace):
    """ELU, scaled so that mean and variance stay (Klambauer et al., 2017)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.selu(input, self.inplace)


class SiLU(_InPlace):
    """x · sigmoid(x)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.silu(input, inplace=self.inplace)


class Mish(_InPlace):
    """x · tanh(softplus(x))."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.mish(input, inplace=self.inplace)


class GELU(Module):
    """x · Φ(x), with the normal distribution function or its approximation by "tanh"."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """The options."""
        return f"approximate={self.approximate!r}"


class Sigmoid(Module):
    """1 / (1 + exp(−x))."""

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        found: Tensor = FUNCTIONS["sigmoid"](input)
        return found


class LogSigmoid(Module):
    """log(1 / (1 + exp(−x)))."""

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.logsigmoid(input)


class Hardsigmoid(Module):
    """x / 6 + 1/2, between 0 and 1."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.hardsigmoid(input, self.inplace)


class Hardswish(Module):
    """x · hardsigmoid(x)."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.hardswish(input, self.inplace)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        found: Tensor = FUNCTIONS["tanh"](input)
        return found


class Tanhshrink(Module):
    """x − tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.tanhshrink(input)


class Softsign(Module):
    """x / (1 + |x|)."""

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.softsign(input)


class Softplus(Module):
    """log(1 + exp(beta · x)) / beta; x itself where beta · x > threshold."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """The options."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(Module):
    """x moved towards 0 by lambd, 0 within."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """The options."""
        return str(self.lambd)


class Hardshrink(Module):
    """x, but 0 where |x| is at most lambd."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """The options."""
        return str(self.lambd)


class Hardtanh(_InPlace):
    """x between min_val and max_val.

    Raises:
        AssertionError: max_val is not greater.
    """

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
        """The input through the activation."""
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return self._with_inplace(f"min_val={self.min_val}, max_val={self.max_val}")


class Threshold(_InPlace):
    """x where it exceeds the threshold, else the value."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input through the activation."""
        return functional.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return self._with_inplace(f"threshold={self.threshold}, value={self.value}")
