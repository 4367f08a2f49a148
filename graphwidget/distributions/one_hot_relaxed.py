"""One-hot categorical distributions and their relaxations (Jang et al., Maddison et al., 2017)."""

from __future__ import annotations

from typing import Any

from ..arrays.size import Size
from ..dispatch.offer import FUNCTIONS as F
from ..nn.functional import one_hot
from . import constraints
from .bernoulli_categorical import ByProbability, Categorical, clamp_probs
from .distribution import Distribution, broadcast_all, forwarded_property
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform, SigmoidTransform


class _OfCategories(Distribution):
    """Those of the parameters of a categorical distribution."""

    arg_constraints = Categorical.arg_constraints
    _batched = ("_categorical",)
    _categorical: Any
    probs = forwarded_property("_categorical.probs")
    logits = forwarded_property("_categorical.logits")

    def _begin(self, probs: Any, logits: Any, validate_args: bool | None) -> None:
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.batch_shape
        Distribution.__init__(
            self, shape, self._categorical.param_shape[-1:], validate_args=validate_args
        )

    @property
    def _param(self) -> Any:
        return self._categorical._param

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return Size(self._categorical.param_shape)


class OneHotCategorical(_OfCategories):
    """A 1 at one place, by probabilities, and zeros."""

    support = constraints.one_hot
    has_enumerate_support = True
    mean = forwarded_property("_categorical.probs")

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._begin(probs, logits, validate_args)

    @property
    def mode(self) -> Any:
        """The likeliest."""
        probs = self._categorical.probs
        return one_hot(probs.argmax(dim=-1), probs.shape[-1]).to(probs)

    @property
    def variance(self) -> Any:
        """p (1 - p)."""
        return self._categorical.probs * (1 - self._categorical.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Vectors."""
        probs, count = self._categorical.probs, self._categorical._num_events
        return one_hot(self._categorical.sample(Size(sample_shape)), count).to(probs)

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Any:
        """The categorical's."""
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Any:
        """All of them."""
        n = self.event_shape[0]
        values = F["eye"](n, dtype=self._param.dtype)
        values = values.view((n, *(1,) * len(self.batch_shape), n))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """The same with gradients that pass to the probabilities as if there was no choice."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Vectors that have the probabilities' gradients."""
        drawn, probs = self.sample(sample_shape), self._categorical.probs
        return drawn + (probs - probs.detach())


class ExpRelaxedCategorical(_OfCategories):
    """Logarithms of smooth choices, the sharper the smaller the `temperature`."""

    support = constraints.real_vector
    has_rsample = True
    _kept = ("temperature",)

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        self.temperature = temperature
        self._begin(probs, logits, validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Logits and Gumbel's numbers by the temperature, normalized."""
        shape = self._extended_shape(sample_shape)
        uniforms = clamp_probs(F["rand"](shape, dtype=self.logits.dtype))
        gumbels = -((-(uniforms.log())).log())
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Any) -> Any:
        count = self._categorical._num_events
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        ways = F["full_like"](self.temperature, float(count)).lgamma()
        scale = ways - self.temperature.log().mul(-(count - 1))
        score = logits - value.mul(self.temperature)
        score = (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1)
        return score + scale


class _Relaxed(TransformedDistribution):
    """A smooth choice, made from one of logarithms, which knows its parameters."""

    temperature = forwarded_property("base_dist.temperature")
    logits = forwarded_property("base_dist.logits")
    probs = forwarded_property("base_dist.probs")


class RelaxedOneHotCategorical(_Relaxed):
    """Smooth choices: shares of the sum 1."""

    arg_constraints = _OfCategories.arg_constraints
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)


class LogitRelaxedBernoulli(ByProbability):
    """Logits of smooth yes and no."""

    support = constraints.real
    _kept = ("temperature",)

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        self.temperature = temperature
        _, given = self._take(probs, logits)
        shape = () if isinstance(given, int | float) else self._param.size()
        super().__init__(shape, validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Logits and logistic numbers by the temperature."""
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        uniforms = clamp_probs(F["rand"](shape, dtype=probs.dtype))
        noise = uniforms.log() - (-uniforms).log1p()
        return (noise + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Any) -> Any:
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        away = logits - value.mul(self.temperature)
        return self.temperature.log() + away - 2 * away.exp().log1p()


class RelaxedBernoulli(_Relaxed):
    """Smooth yes and no: numbers between 0 and 1."""

    arg_constraints = LogitRelaxedBernoulli.arg_constraints
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)
