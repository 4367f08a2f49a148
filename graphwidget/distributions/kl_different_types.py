"""The divergences of distributions of two types, and of types with parameters of their own kind.

`_NEVER` lists the pairs of which the second excludes what the first may draw.
"""

from __future__ import annotations

import math
from typing import Any

from ..dispatch.offer import FUNCTIONS as F
from .bernoulli_categorical import Bernoulli
from .continuous import Exponential, Laplace, Normal, Uniform
from .counts import Binomial, Poisson
from .exp_family import ExponentialFamily, bregman_divergence
from .gamma_beta import Beta, Gamma
from .kl import INF, register_kl
from .lowrank_multivariate_normal import LowRankMultivariateNormal, mahalanobis
from .multivariate_normal import LINALG, MultivariateNormal
from .pareto_weibull import Pareto
from .transformed_distribution import EULER, Gumbel
from .unit_interval import ContinuousBernoulli

_UNIT = (Beta, ContinuousBernoulli)
_NEVER: dict[tuple[type, ...], tuple[tuple[type, ...], str]] = {
    (Beta,): ((Pareto,), "concentration1"),
    (ContinuousBernoulli,): ((Pareto,), "probs"),
    (Exponential,): ((*_UNIT, Pareto, Uniform), "rate"),
    (Gamma,): ((*_UNIT, Pareto, Uniform), "concentration"),
    (Gumbel, Laplace, Normal): ((*_UNIT, Exponential, Gamma, Pareto, Uniform), "loc"),
    (Pareto,): ((*_UNIT, Uniform), "scale"),
    (Poisson,): ((Bernoulli, Binomial), "rate"),
}
for _firsts, (_seconds, _like) in _NEVER.items():
    for _first in _firsts:
        for _second in _seconds:
            register_kl(_first, _second)(
                lambda p, q, like=_like: F["full_like"](getattr(p, like), INF)
            )
register_kl(ExponentialFamily, ExponentialFamily)(bregman_divergence)


def _infinite_outside(found: Any, places: Any) -> Any:
    """inf where the second distribution excludes some values."""
    found[places] = INF
    return found


def _x_log_x(x: Any) -> Any:
    return F["xlogy"](x, x)


def _gamma_constant(q: Any) -> Any:
    """The logarithm of a gamma density's constant, negated."""
    return q.concentration.lgamma() - q.concentration * q.rate.log()


# Of one type ------------------------------------------------------------------------------------
@register_kl(Binomial, Binomial)
def _kl_binomial(p: Any, q: Any) -> Any:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    rest = (-p.probs).log1p() - (-q.probs).log1p()
    found = p.total_count * (p.probs * (p.logits - q.logits) + rest)
    return _infinite_outside(found, p.total_count > q.total_count)


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
    return _infinite_outside(found, p.scale < q.scale)


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


# From numbers between 0 and 1 -------------------------------------------------------------------
@register_kl(Bernoulli, Poisson)
def _kl_bernoulli_poisson(p: Any, q: Any) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _kl_beta_continuous_bernoulli(p: Any, q: Any) -> Any:
    return -p.entropy() - p.mean * q.logits - F["log1p"](-q.probs) - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _kl_beta_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Beta, Gamma)
def _kl_beta_gamma(p: Any, q: Any) -> Any:
    total = p.concentration1 + p.concentration0
    digammas = p.concentration1.digamma() - total.digamma()
    fall = q.rate * p.concentration1 / total
    return -p.entropy() + _gamma_constant(q) - (q.concentration - 1) * digammas + fall


@register_kl(Beta, Normal)
def _kl_beta_normal(p: Any, q: Any) -> Any:
    total, mean, variance = p.concentration1 + p.concentration0, p.mean, q.scale.pow(2)
    constant = 0.5 * (variance * 2 * math.pi).log()
    square = (mean * (1 - mean) / (total + 1) + mean.pow(2)) * 0.5
    away = square - q.loc * mean + q.loc.pow(2) * 0.5
    return -p.entropy() + constant + away / variance


@register_kl(Beta, Uniform)
def _kl_beta_uniform(p: Any, q: Any) -> Any:
    return _infinite_outside(-p.entropy() + (q.high - q.low).log(), (q.low > 0) | (q.high < 1))


@register_kl(ContinuousBernoulli, Exponential)
def _kl_continuous_bernoulli_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - F["log"](q.rate) + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _kl_continuous_bernoulli_normal(p: Any, q: Any) -> Any:
    ratio = F["square"](q.loc / q.scale)
    constant = 0.5 * (math.log(2.0 * math.pi) + ratio) + F["log"](q.scale)
    square = p.variance + F["square"](p.mean) - 2.0 * q.loc * p.mean
    return -p.entropy() + constant + square / (2.0 * F["square"](q.scale))


@register_kl(ContinuousBernoulli, Uniform)
def _kl_continuous_bernoulli_uniform(p: Any, q: Any) -> Any:
    found = -p.entropy() + (q.high - q.low).log()
    outside = F["max"](F["ge"](q.low, 0.0), F["le"](q.high, 1.0))
    return F["where"](outside, F["ones_like"](found) * INF, found)


# From positive numbers --------------------------------------------------------------------------
@register_kl(Exponential, Gamma)
def _kl_exponential_gamma(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    found = -q.concentration * F["log"](ratio) + ratio
    return found + q.concentration.lgamma() + q.concentration * EULER - (1 + EULER)


@register_kl(Exponential, Gumbel)
def _kl_exponential_gumbel(p: Any, q: Any) -> Any:
    product, ratio = p.rate * q.scale, q.loc / q.scale
    away = F["exp"](ratio) * product / (product + 1)
    return product.log() - 1 - ratio + away + product.reciprocal()


@register_kl(Exponential, Normal)
def _kl_exponential_normal(p: Any, q: Any) -> Any:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    constant = 0.5 * F["log"](square * variance * 2 * math.pi)
    away = square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5
    return constant - 1 + away / variance


@register_kl(Gamma, Exponential)
def _kl_gamma_exponential(p: Any, q: Any) -> Any:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _kl_gamma_gumbel(p: Any, q: Any) -> Any:
    product, ratio, a = p.rate * q.scale, q.loc / q.scale, p.concentration
    entropy = (a - 1) * a.digamma() - a.lgamma() - a
    away = F["exp"](ratio) * (1 + product.reciprocal()).pow(-a) - ratio
    return entropy + (product.log() + a / product) + away


@register_kl(Gamma, Normal)
def _kl_gamma_normal(p: Any, q: Any) -> Any:
    variance, square, a = q.scale.pow(2), p.rate.pow(2), p.concentration
    constant = 0.5 * F["log"](square * variance * 2 * math.pi) - a - a.lgamma()
    away = 0.5 * (a.pow(2) + a) / square - q.loc * a / p.rate + 0.5 * q.loc.pow(2)
    return constant + (a - 1) * a.digamma() + away / variance


@register_kl(Pareto, Exponential)
def _kl_pareto_exponential(p: Any, q: Any) -> Any:
    product = p.scale * q.rate
    fall = p.alpha * product / (p.alpha - 1)
    found = (p.alpha / product).log() - p.alpha.reciprocal() + fall - 1
    return _infinite_outside(found, p.alpha <= 1)


@register_kl(Pareto, Gamma)
def _kl_pareto_gamma(p: Any, q: Any) -> Any:
    common = p.scale.log() + p.alpha.reciprocal()
    fall = q.rate * p.alpha * p.scale / (p.alpha - 1)
    powers = (1 - q.concentration) * common
    found = p.alpha.log() - common + _gamma_constant(q) + powers + fall - 1
    return _infinite_outside(found, p.alpha <= 1)


@register_kl(Pareto, Normal)
def _kl_pareto_normal(p: Any, q: Any) -> Any:
    variance, common = 2 * q.scale.pow(2), p.scale / (p.alpha - 1)
    constant = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log()
    spread = p.alpha * common.pow(2) / (p.alpha - 2)
    away = (p.alpha * common - q.loc).pow(2)
    found = constant - p.alpha.reciprocal() + (spread + away) / variance - 1
    return _infinite_outside(found, p.alpha <= 2)


# From all numbers -------------------------------------------------------------------------------
@register_kl(Gumbel, Normal)
def _kl_gumbel_normal(p: Any, q: Any) -> Any:
    ratio = p.scale / q.scale
    constant = (ratio / math.sqrt(2 * math.pi)).log()
    spread = (math.pi * ratio * 0.5).pow(2) / 3
    away = ((p.loc + p.scale * EULER - q.loc) / q.scale).pow(2) * 0.5
    return -constant + spread + away - (EULER + 1)


@register_kl(Laplace, Normal)
def _kl_laplace_normal(p: Any, q: Any) -> Any:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    constant = 0.5 * F["log"](2 * ratio / math.pi)
    away = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return -constant + ratio + away / variance - 1


@register_kl(Normal, Gumbel)
def _kl_normal_gumbel(p: Any, q: Any) -> Any:
    mine, theirs = p.loc / q.scale, q.loc / q.scale
    ratio = (p.scale / q.scale).pow(2)
    away = F["exp"](-mine + 0.5 * ratio + theirs)
    return -(ratio.log() * 0.5) + (mine - theirs) + away - 0.5 * (1 + math.log(2 * math.pi))


@register_kl(Normal, Laplace)
def _kl_normal_laplace(p: Any, q: Any) -> Any:
    away, ratio = p.loc - q.loc, p.scale / q.scale
    steps = away / p.scale
    bell = math.sqrt(2 / math.pi) * p.scale * F["exp"](-0.5 * steps.pow(2))
    slope = away * F["erf"](math.sqrt(0.5) * steps)
    constant = 0.5 * (1 + math.log(0.5 * math.pi))
    return -F["log"](ratio) + (bell + slope) / q.scale - constant


# From an interval -------------------------------------------------------------------------------
@register_kl(Uniform, Beta)
def _kl_uniform_beta(p: Any, q: Any) -> Any:
    width, a, b = p.high - p.low, q.concentration1, q.concentration0
    ones = (a - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    zeros = (b - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    beta = a.lgamma() + b.lgamma() - (a + b).lgamma()
    found = zeros + beta - F["log"](width) - ones
    return _infinite_outside(found, (p.high > 1) | (p.low < 0))


@register_kl(Uniform, ContinuousBernoulli)
def _kl_uniform_continuous_bernoulli(p: Any, q: Any) -> Any:
    found = -p.entropy() - p.mean * q.logits - F["log1p"](-q.probs) - q._cont_bern_log_norm()
    outside = F["max"](F["ge"](p.high, 1.0), F["le"](p.low, 0.0))
    return F["where"](outside, F["ones_like"](found) * INF, found)


@register_kl(Uniform, Exponential)
def _kl_uniform_exponential(p: Any, q: Any) -> Any:
    fall = q.rate * (p.high + p.low) / 2
    return _infinite_outside(fall - ((p.high - p.low) * q.rate).log(), p.low < 0)


@register_kl(Uniform, Gamma)
def _kl_uniform_gamma(p: Any, q: Any) -> Any:
    width = p.high - p.low
    powers = (1 - q.concentration) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    fall = q.rate * (p.high + p.low) / 2
    return _infinite_outside(-width.log() + _gamma_constant(q) + powers + fall, p.low < 0)


@register_kl(Uniform, Gumbel)
def _kl_uniform_gumbel(p: Any, q: Any) -> Any:
    width = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    away = width * (F["exp"](-high) - F["exp"](-low))
    return width.log() + 0.5 * (high + low) - away


@register_kl(Uniform, Normal)
def _kl_uniform_normal(p: Any, q: Any) -> Any:
    width = p.high - p.low
    constant = (math.sqrt(math.pi * 2) * q.scale / width).log()
    away = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return constant + 0.5 * (width.pow(2) / 12 + away) / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _kl_uniform_pareto(p: Any, q: Any) -> Any:
    width = p.high - p.low
    powers = (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    constant = (q.alpha * q.scale.pow(q.alpha) * width).log()
    return _infinite_outside(powers * (q.alpha + 1) - constant, p.low < q.scale)
