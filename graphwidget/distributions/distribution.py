"""``Distribution``, the base class: shapes, checks, and methods that follow from others."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..absent import AbsentMethod
from ..arrays.dtypes import get_default_dtype
from ..arrays.size import Size
from ..autograd.grad_mode import enable_grad, no_grad
from ..dispatch.offer import FUNCTIONS as F
from ..graph.tensor import Tensor
from .constraints import Constraint

ONE_OF = "Either `probs` or `logits` must be specified, but not both."


class lazy_property:
    """A property that is computed once, with gradients, and then lies in the object."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def batch_shape_of(numbers: tuple[Any, ...], made: Any) -> Any:
    """The batch shape of parameters: none where all were given as numbers."""
    return made.size() if any(isinstance(each, Tensor) for each in numbers) else ()


def broadcast_all(*values: Any) -> list[Any]:
    """Numbers and tensors as tensors of one shape.

    Raises:
        ValueError: something else.
    """
    if not all(isinstance(each, Tensor | int | float) for each in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            "__torch_function__."
        )
    if not all(isinstance(each, Tensor) for each in values):
        like = next((each for each in values if isinstance(each, Tensor)), None)
        dtype = get_default_dtype() if like is None else like.dtype
        values = tuple(
            each if isinstance(each, Tensor) else F["tensor"](each, dtype=dtype) for each in values
        )
    return list(F["broadcast_tensors"](*values))


def clamp_probs(probs: Any) -> Any:
    """Probabilities that are neither 0 nor 1."""
    eps = float(np.finfo(probs.detach().numpy().dtype).eps)
    return probs.clamp(min=eps, max=1 - eps)


class Distribution:
    """The base class. `batch_shape` is the shape of the parameters, `event_shape` that of a value.

    Raises:
        ValueError: a parameter out of range, when arguments are validated (the default).
    """

    has_rsample = False
    arg_constraints: ClassVar[Any] = {}
    support: Any = None
    _validate_args = __debug__
    expand = AbsentMethod("expand", "torch.distributions.Distribution")
    enumerate_support = AbsentMethod("enumerate_support", "torch.distributions.Distribution")

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Choose whether distributions check their parameters and values from now on."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None
    ) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    def _check_parameters(self) -> None:
        for name, constraint in self.arg_constraints.items():
            if name not in self.__dict__ and isinstance(
                getattr(type(self), name, None), lazy_property
            ):
                continue
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape "
                    f"{tuple(value.shape)}) of distribution {self!r} to satisfy the constraint "
                    f"{constraint!r}, but found invalid values:\n{value}"
                )

    @property
    def batch_shape(self) -> Size:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one value."""
        return self._event_shape

    @property
    def mean(self) -> Any:
        """The expectation."""
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        """The most probable value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Any:
        """The expectation of the squared distance from the mean."""
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Any:
        """Values (*sample_shape, *batch_shape, *event_shape), without gradient."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values that have gradients by the parameters."""
        raise NotImplementedError

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density, or probability, of a value."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        """The probability of less than a value."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        """The value that is exceeded with a probability."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """The expectation of minus the log probability."""
        raise NotImplementedError

    def perplexity(self) -> Any:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _check_value(self, value: Any) -> None:
        """PyTorch's checks of a value, if they are wanted."""
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value: Any) -> None:
        """PyTorch's checks of a value.

        Raises:
            ValueError: no tensor, a shape that does not fit, or outside of the support.
        """
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        size, event = value.size(), self._event_shape
        if tuple(size[max(len(size) - len(event), 0) :]) != tuple(event):
            raise ValueError(
                f"The right-most size of value must match event_shape: {size} vs {event}."
            )
        expected = self._batch_shape + event
        for mine, theirs in zip(reversed(value.size()), reversed(expected), strict=False):
            if mine != 1 and theirs != 1 and mine != theirs:
                raise ValueError(
                    "Value is not broadcastable with batch_shape+event_shape: "
                    f"{value.size()} vs {Size(expected)}."
                )
        support: Constraint = self.support
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape "
                f"{tuple(value.shape)}) to be within the support ({support!r}) of the distribution "
                f"{self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        parts = []
        for name in self.arg_constraints:
            if name in self.__dict__:
                value = self.__dict__[name]
                parts.append(f"{name}: {value if value.numel() == 1 else value.size()}")
        return f"{type(self).__name__}({', '.join(parts)})"
