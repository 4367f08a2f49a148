"""``kl_divergence``, and the formulas for pairs of distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..dispatch.offer import FUNCTIONS as F
from ..nn.functional import softplus
from .bernoulli_categorical import Bernoulli, Categorical
from .continuous import Cauchy, Exponential, Laplace, Normal, Uniform
from .counts import Binomial, Geometric, Poisson
from .exp_family import ExponentialFamily, bregman_divergence
from .gamma_beta import Beta, Dirichlet, Gamma
from .independent import Independent, sum_rightmost
from .lowrank_multivariate_normal import LowRankMultivariateNormal, mahalanobis
from .multivariate_normal import LINALG, MultivariateNormal
from .one_hot_relaxed import OneHotCategorical
from .pareto_weibull import Pareto
from .transformed_distribution import EULER, Gumbel, HalfNormal, TransformedDistribution
from .unit_interval import ContinuousBernoulli

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


register_kl(ExponentialFamily, ExponentialFamily)(bregman_divergence)


# Of one type ------------------------------------------------------------------------------------
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


@register_kl(Binomial, Binomial)
def _kl_binomial(p: Any, q: Any) -> Any:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    rest = (-p.probs).log1p() - (-q.probs).log1p()
    found = p.total_count * (p.probs * (p.logits - q.logits) + rest)
    found[p.total_count > q.total_count] = INF
    return found


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _kl_continuous_bernoulli(p: Any, q: Any) -> Any:
    mine = p._cont_bern_log_norm() + F["log1p"](-p.probs)
    theirs = -q._cont_bern_log_norm() - F["log1p"](-q.probs)
    return p.mean * (p.logits - q.logits) + mine + theirs


@register_kl(Gumbel, Gumbel)
def _kl_gumbel(p: Any, q: Any) -> Any:
    ratio, theirs, mine = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    away = F["exp"](theirs + (1 + ratio).lgamma() - mine)
    return -ratio.log() - theirs + mine + ratio * EULER + away - (1 + EULER)


@register_kl(Pareto, Pareto)
def _kl_pareto(p: Any, q: Any) -> Any:
    ratio = q.alpha / p.alpha
    found = q.alpha * (p.scale / q.scale).log() + -ratio.log() + ratio - 1
    found[p.scale < q.scale] = INF
    return found


# Normal vectors ---------------------------------------------------------------------------------
VECTORS = (
    "KL-divergence between two {}Multivariate Normals with                          different "
    "event shapes cannot be computed"
)


def _same_event(p: Any, q: Any, word: str) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(VECTORS.format(word))


def _trace(matrix: Any) -> Any:
    """The trace of matrices times their transposes."""
    flat = matrix.reshape(-1, matrix.size(-1) * matrix.size(-2)).pow(2).sum(-1)
    return flat.reshape(matrix.shape[:-2])


def _capacitance_factor(q: Any) -> Any:
    """What the covariances' inverse lacks of the diagonal's, as a factor."""
    return LINALG["solve_triangular"](q._capacitance_tril, q._divided(), upper=False)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _kl_low_low(p: Any, q: Any) -> Any:
    _same_event(p, q, "Low Rank ")
    mine, theirs = p._unbroadcasted_cov_diag, q._unbroadcasted_cov_diag
    factor, inner = p._unbroadcasted_cov_factor, _capacitance_factor(q)
    dets = q._log_det() - p._log_det()
    away = q._distance(q.loc - p.loc)
    diagonals = (mine / theirs).sum(-1) + _trace(factor * theirs.rsqrt().unsqueeze(-1))
    less = _trace(inner * mine.sqrt().unsqueeze(-2))
    trace = diagonals - less - _trace(inner.matmul(factor))
    return 0.5 * (dets + trace + away - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _kl_full_low(p: Any, q: Any) -> Any:
    _same_event(p, q, "(Low Rank) ")
    factor, inner = p._unbroadcasted_scale_tril, _capacitance_factor(q)
    dets = q._log_det() - 2 * p._half_log_det()
    away = q._distance(q.loc - p.loc)
    scaled = factor * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)
    trace = _trace(scaled) - _trace(inner.matmul(factor))
    return 0.5 * (dets + trace + away - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _kl_low_full(p: Any, q: Any) -> Any:
    _same_event(p, q, "(Low Rank) ")
    theirs, factor = q._unbroadcasted_scale_tril, p._unbroadcasted_cov_factor
    dets = 2 * q._half_log_det() - p._log_det()
    away = mahalanobis(theirs, q.loc - p.loc)
    batch = F["broadcast_shapes"](theirs.shape[:-2], factor.shape[:-2])
    size = p.event_shape[0]
    wide = theirs.expand((*batch, size, size))
    parts = (
        factor.expand((*batch, size, factor.size(-1))),
        F["diag_embed"](p._unbroadcasted_cov_diag.sqrt()).expand((*batch, size, size)),
    )
    low, diagonal = (_trace(LINALG["solve_triangular"](wide, part, upper=False)) for part in parts)
    return 0.5 * (dets + (low + diagonal) + away - size)


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


# Of two types -----------------------------------------------------------------------------------
@register_kl(Normal, Laplace)
def _kl_normal_laplace(p: Any, q: Any) -> Any:
    away, ratio = p.loc - q.loc, p.scale / q.scale
    steps = away / p.scale
    bell = math.sqrt(2 / math.pi) * p.scale * F["exp"](-0.5 * steps.pow(2))
    slope = away * F["erf"](math.sqrt(0.5) * steps)
    constant = 0.5 * (1 + math.log(0.5 * math.pi))
    return -F["log"](ratio) + (bell + slope) / q.scale - constant


@register_kl(Laplace, Normal)
def _kl_laplace_normal(p: Any, q: Any) -> Any:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    constant = 0.5 * F["log"](2 * ratio / math.pi)
    away = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return -constant + ratio + away / variance - 1


@register_kl(Uniform, Normal)
def _kl_uniform_normal(p: Any, q: Any) -> Any:
    width = p.high - p.low
    constant = (math.sqrt(math.pi * 2) * q.scale / width).log()
    away = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return constant + 0.5 * (width.pow(2) / 12 + away) / q.scale.pow(2)
