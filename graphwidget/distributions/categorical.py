"""The categorical distribution, by probabilities or by logits."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..arrays.size import Size
from ..dispatch.offer import FUNCTIONS as F
from ..nn.functional import softmax
from . import constraints
from .distribution import ONE_OF, Distribution, clamp_probs, lazy_property


class Categorical(Distribution):
    """One of the numbers below the last dim's size, with probabilities `probs` (scaled to the sum
    1), or the softmax of `logits`."""

    arg_constraints: ClassVar[Any] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }

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
        *shape, self._num_events = (self.logits if probs is None else self.probs).size()
        super().__init__(shape, validate_args=validate_args)

    @property
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
    def mode(self) -> Any:
        """The likeliest number."""
        return self.probs.argmax(dim=-1)

    @property
    def mean(self) -> Any:
        """nan: the numbers are only names."""
        return F["full"](self._extended_shape(), float("nan"), dtype=self.probs.dtype)

    variance = mean

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
