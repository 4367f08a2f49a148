"""The Bernoulli distribution, by probabilities or by logits."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, ClassVar

from ..autograd.grad_mode import no_grad
from ..dispatch.offer import FUNCTIONS as F
from ..nn.functional import binary_cross_entropy_with_logits
from . import constraints
from .distribution import (
    ONE_OF,
    Distribution,
    batch_shape_of,
    broadcast_all,
    clamp_probs,
    lazy_property,
)


class Bernoulli(Distribution):
    """1 with probability `probs`, else 0; the `logits` are log (p / (1 - p))."""

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.unit_interval, "logits": constraints.real
    }  # fmt: skip
    support = constraints.boolean
    mean = property(attrgetter("probs"), doc="The chances.")

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError(ONE_OF)
        given = logits if probs is None else probs
        (parameter,) = broadcast_all(given)
        setattr(self, "logits" if probs is None else "probs", parameter)
        super().__init__(batch_shape_of((given,), parameter), validate_args=validate_args)

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
