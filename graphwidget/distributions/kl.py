"""``kl_divergence``, and the formulas for pairs of distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..absent import refuse_others
from ..nn.functional import softplus
from .bernoulli import Bernoulli
from .categorical import Categorical
from .normal import Normal
from .uniform import Uniform

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


@register_kl(Uniform, Normal)
def _kl_uniform_normal(p: Any, q: Any) -> Any:
    width = p.high - p.low
    constant = (math.sqrt(math.pi * 2) * q.scale / width).log()
    away = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return constant + 0.5 * (width.pow(2) / 12 + away) / q.scale.pow(2)


refuse_others(__name__)
