"""The Bernoulli and categorical distributions, by probabilities or by logits."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..arrays.size import Size
from ..autograd.grad_mode import no_grad
from ..dispatch.offer import FUNCTIONS as F
from ..nn.functional import binary_cross_entropy_with_logits, softmax
from . import constraints
from .distribution import (
    Distribution,
    batch_shape_of,
    broadcast_all,
    forwarded_property,
    lazy_property,
)
from .exp_family import ExponentialFamily, family

ONE_OF = "Either `probs` or `logits` must be specified, but not both."


def clamp_probs(probs: Any) -> Any:
    """Probabilities that are neither 0 nor 1."""
    eps = float(np.finfo(probs.detach().numpy().dtype).eps)
    return probs.clamp(min=eps, max=1 - eps)


def reshape_parameter(of: Any, shape: Any) -> dict[str, Any]:
    """The parameter of a distribution as it was given, in another shape."""
    names = [name for name in ("probs", "logits") if name in of.__dict__]
    wide = {name: of.__dict__[name].expand(shape) for name in names}
    return wide | {"_param": wide[names[0]]}


class ByProbability(Distribution):
    """Those of a chance `probs`, or its `logits`, log (p / (1 - p))."""

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.unit_interval, "logits": constraints.real
    }  # fmt: skip

    def _take(self, probs: Any, logits: Any, *others: Any) -> tuple[list[Any], Any]:
        """The other parameters in the shape of the given one; and the given one."""
        if (probs is None) == (logits is None):
            raise ValueError(ONE_OF)
        given = logits if probs is None else probs
        *found, self._param = broadcast_all(*others, given)
        setattr(self, "logits" if probs is None else "probs", self._param)
        return found, given

    @lazy_property
    def logits(self) -> Any:
        """The logarithms of the odds."""
        probs = clamp_probs(self.probs)
        return F["log"](probs) - F["log1p"](-probs)

    @lazy_property
    def probs(self) -> Any:
        """The chances."""
        return F["sigmoid"](self.logits)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return Size(self._param.size())

    def _expanded_attributes(self, batch_shape: Size) -> dict[str, Any]:
        return super()._expanded_attributes(batch_shape) | reshape_parameter(self, batch_shape)


@family(lambda self: (F["logit"](self.probs),), lambda x: F["log1p"](F["exp"](x)))
class Bernoulli(ByProbability, ExponentialFamily):
    """1 with probability `probs`, else 0; the `logits` are log (p / (1 - p))."""

    support = constraints.boolean
    has_enumerate_support = True
    mean = forwarded_property("probs")

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        _, given = self._take(probs, logits)
        super().__init__(batch_shape_of((given,), self._param), validate_args=validate_args)

    @property
    def mode(self) -> Any:
        """The likelier one; nan where both are."""
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = float("nan")
        return mode

    @property
    def variance(self) -> Any:
        """p (1 - p)."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Zeros and ones."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return F["bernoulli"](self.probs.expand(shape))

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Any:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Any:
        """0 and 1."""
        return self._enumerate_values(F["arange"](2, dtype=self._param.dtype), expand)


class Categorical(Distribution):
    """One of the numbers below the last dim's size, with probabilities `probs` (brought to the sum
    1), or the softmax of `logits`."""

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError(ONE_OF)
        if probs is not None:
            if probs.dim() < 1:
                raise ValueError("`probs` parameter must be at least one-dimensional.")
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            if logits.dim() < 1:
                raise ValueError("`logits` parameter must be at least one-dimensional.")
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        self._param = self.probs if probs is not None else self.logits
        self._num_events = self._param.size()[-1]
        shape = self._param.size()[:-1] if self._param.ndimension() > 1 else ()
        super().__init__(shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The numbers."""
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Any:
        """The logarithms of the probabilities."""
        return F["log"](clamp_probs(self.probs))

    @lazy_property
    def probs(self) -> Any:
        """The probabilities."""
        return softmax(self.logits, dim=-1)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return Size(self._param.size())

    @property
    def mean(self) -> Any:
        """nan: the numbers are only names."""
        return F["full"](self._extended_shape(), float("nan"), dtype=self.probs.dtype)

    @property
    def mode(self) -> Any:
        """The likeliest number."""
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Any:
        """nan: the numbers are only names."""
        return F["full"](self._extended_shape(), float("nan"), dtype=self.probs.dtype)

    def _expanded_attributes(self, batch_shape: Size) -> dict[str, Any]:
        wide = reshape_parameter(self, (*batch_shape, self._num_events))
        return wide | {"_num_events": self._num_events}

    def sample(self, sample_shape: Any = ()) -> Any:
        """Numbers."""
        shape = Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        found = F["multinomial"](rows, shape.numel(), True).T
        return found.reshape(self._extended_shape(shape))

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        value = value.long().unsqueeze(-1)
        value, log_pmf = F["broadcast_tensors"](value, self.logits)
        return log_pmf.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        least = float(np.finfo(self.logits.detach().numpy().dtype).min)
        return -(F["clamp"](self.logits, min=least) * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        """All numbers."""
        return self._enumerate_values(F["arange"](self._num_events), expand)
