"""``MixtureSameFamily``: mixtures of distributions of one family."""

from __future__ import annotations

from typing import Any, ClassVar

from ..arrays.size import Size
from ..autograd.grad_mode import no_grad
from ..dispatch.offer import FUNCTIONS as F
from . import constraints
from .bernoulli_categorical import Categorical
from .distribution import Distribution, forwarded_property


class MixtureSameFamily(Distribution):
    """Values of the parts along the last batch dim of a distribution, each as often as a
    categorical distribution says.

    Raises:
        ValueError: no such distributions, or parts that do not fit.
    """

    arg_constraints: ClassVar[Any] = {}
    _kept = ("_num_component", "_event_ndims")
    _batched = ("_mixture_distribution",)
    mixture_distribution = forwarded_property("_mixture_distribution")
    component_distribution = forwarded_property("_component_distribution")

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of "
                "torch.distributions.Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution need to be an instance of "
                "torch.distributions.Distribution"
            )
        mixed = mixture_distribution.batch_shape
        batch = component_distribution.batch_shape[:-1]
        for left, right in zip(reversed(mixed), reversed(batch), strict=False):
            if left != 1 and right != 1 and left != right:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch})"
                )
        parts = mixture_distribution.logits.shape[-1]
        held = component_distribution.batch_shape[-1]
        if parts != held:
            raise ValueError(
                f"`mixture_distribution component` ({parts}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({held})"
            )
        self._num_component = parts
        event = component_distribution.event_shape
        self._event_ndims = len(event)
        super().__init__(batch, event, validate_args=validate_args)

    has_rsample = False

    @constraints.dependent_property
    def support(self) -> Any:
        """The parts'."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    def _expanded_attributes(self, batch_shape: Size) -> dict[str, Any]:
        parts = self._component_distribution.expand((*batch_shape, self._num_component))
        return super()._expanded_attributes(batch_shape) | {"_component_distribution": parts}

    def _probs(self) -> Any:
        probs = self._mixture_distribution.probs
        return probs.reshape((*probs.shape, *(1,) * self._event_ndims))

    def _sum_over_components(self, values: Any) -> Any:
        """The sum over the parts."""
        return F["sum"](values, dim=-1 - self._event_ndims)

    @property
    def mean(self) -> Any:
        """The parts' means, weighed."""
        return self._sum_over_components(self._probs() * self._component_distribution.mean)

    @property
    def variance(self) -> Any:
        """The mean of the variances and the variance of the means."""
        probs, parts = self._probs(), self._component_distribution
        inner = self._sum_over_components(probs * parts.variance)
        away = parts.mean - self.mean.unsqueeze(-1 - self._event_ndims)
        return inner + self._sum_over_components(probs * away.pow(2.0))

    def cdf(self, x: Any) -> Any:
        x = x.unsqueeze(-1 - self._event_ndims)
        return F["sum"](self._component_distribution.cdf(x) * self._mixture_distribution.probs, -1)

    def log_prob(self, x: Any) -> Any:
        self._check_value(x)
        x = x.unsqueeze(-1 - self._event_ndims)
        parts = self._component_distribution.log_prob(x)
        weights = F["log_softmax"](self._mixture_distribution.logits, dim=-1)
        return F["logsumexp"](parts + weights, dim=-1)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Values of every part, of which one is taken."""
        with no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            chosen = self._mixture_distribution.sample(sample_shape)
            chosen = chosen.reshape((*chosen.shape, *(1,) * (self._event_ndims + 1)))
            wide = (*(1,) * (dim + 1), *self.event_shape)
            values = self._component_distribution.sample(sample_shape)
            return F["gather"](values, dim, chosen.repeat(wide)).squeeze(dim)

    def __repr__(self) -> str:
        return (
            f"MixtureSameFamily(\n  {self._mixture_distribution},\n  "
            f"{self._component_distribution})"
        )
