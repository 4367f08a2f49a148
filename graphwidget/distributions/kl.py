"""``kl_divergence``, and the divergences of two distributions of one type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dispatch.offer import FUNCTIONS as F
from ..nn.functional import softplus
from .bernoulli_categorical import Bernoulli, Categorical
from .continuous import Cauchy, Exponential, Laplace, Normal, Uniform
from .counts import Geometric, Poisson
from .gamma_beta import Beta, Dirichlet, Gamma
from .independent import Independent, sum_rightmost
from .multivariate_normal import LINALG, MultivariateNormal
from .one_hot_relaxed import OneHotCategorical
from .transformed_distribution import HalfNormal, TransformedDistribution

_RULES: dict[tuple[type, type], Any] = {}
INF = float("inf")


def register_kl(type_p: type, type_q: type) -> Callable[[Any], Any]:
    """A decorator: the function computes the divergence of two types."""

    def decorator(function: Any) -> Any:
        _RULES[type_p, type_q] = function
        return function

    return decorator


def kl_divergence(p: Any, q: Any) -> Any:
    """The expectation under p of the difference of the log probabilities.

    Raises:
        NotImplementedError: there is no formula for the types.
    """
    found = [
        (type(p).__mro__.index(left) + type(q).__mro__.index(right), rule)
        for (left, right), rule in _RULES.items()
        if isinstance(p, left) and isinstance(q, right)
    ]
    if not found:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type "
            f"{type(q).__name__}"
        )
    return min(found, key=lambda pair: pair[0])[1](p, q)


@register_kl(Normal, Normal)
def _kl_normal(p: Any, q: Any) -> Any:
    var_ratio = (p.scale / q.scale).pow(2)
    away = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (var_ratio + away - 1 - var_ratio.log())


@register_kl(Laplace, Laplace)
def _kl_laplace(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    away = (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * F["exp"](-away / p.scale) - 1


@register_kl(Exponential, Exponential)
def _kl_exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Uniform, Uniform)
def _kl_uniform(p: Any, q: Any) -> Any:
    found = ((q.high - q.low) / (p.high - p.low)).log()
    found[(q.low > p.low) | (q.high < p.high)] = INF
    return found


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli(p: Any, q: Any) -> Any:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones[q.probs == 0] = INF
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros[q.probs == 1] = INF
    zeros[p.probs == 1] = 0
    return ones + zeros


@register_kl(Categorical, Categorical)
def _kl_categorical(p: Any, q: Any) -> Any:
    found = p.probs * (p.logits - q.logits)
    found[(q.probs == 0).expand_as(found)] = INF
    found[(p.probs == 0).expand_as(found)] = 0
    return found.sum(-1)


@register_kl(Cauchy, Cauchy)
def _kl_cauchy(p: Any, q: Any) -> Any:
    away = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return away.log() - (4 * p.scale * q.scale).log()


@register_kl(Poisson, Poisson)
def _kl_poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Geometric, Geometric)
def _kl_geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - F["log1p"](-q.probs) / p.probs - q.logits


@register_kl(Gamma, Gamma)
def _kl_gamma(p: Any, q: Any) -> Any:
    rates = q.concentration * (p.rate / q.rate).log()
    gammas = F["lgamma"](q.concentration) - F["lgamma"](p.concentration)
    digammas = (p.concentration - q.concentration) * F["digamma"](p.concentration)
    return rates + gammas + digammas + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet(p: Any, q: Any) -> Any:
    total_p, total_q = p.concentration.sum(-1), q.concentration.sum(-1)
    totals = total_p.lgamma() - total_q.lgamma()
    parts = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    digammas = p.concentration.digamma() - total_p.digamma().unsqueeze(-1)
    return totals - parts + ((p.concentration - q.concentration) * digammas).sum(-1)


@register_kl(Beta, Beta)
def _kl_beta(p: Any, q: Any) -> Any:
    return _kl_dirichlet(p._dirichlet, q._dirichlet)


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariate_normal(p: Any, q: Any) -> Any:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event shapes cannot be "
            "computed"
        )
    mine, theirs = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    dets = q._half_log_det() - p._half_log_det()
    ratio = LINALG["solve_triangular"](theirs, mine, upper=False)
    trace = ratio.pow(2).sum((-2, -1))
    steps = LINALG["solve_triangular"](theirs, (q.loc - p.loc).unsqueeze(-1), upper=False)
    return dets + 0.5 * (trace + steps.squeeze(-1).pow(2).sum(-1) - p.event_shape[0])


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_one_hot(p: Any, q: Any) -> Any:
    return _kl_categorical(p._categorical, q._categorical)


@register_kl(HalfNormal, HalfNormal)
def _kl_half_normal(p: Any, q: Any) -> Any:
    return _kl_normal(p.base_dist, q.base_dist)


@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed(p: Any, q: Any) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _kl_independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    found = kl_divergence(p.base_dist, q.base_dist)
    return sum_rightmost(found, p.reinterpreted_batch_ndims)
