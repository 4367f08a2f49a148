"""``ExponentialFamily``: entropy and divergence from the logarithm of the normalizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..autograd.backward import grad
from .distribution import Distribution
from .independent import sum_rightmost

Kind = TypeVar("Kind", bound="ExponentialFamily")


class ExponentialFamily(Distribution):
    """Distributions of densities exp(<t(x), natural> - normalizer(natural) + carrier(x)).

    A subclass says its natural parameters, the logarithm of its normalizer and the mean of its
    carrier measure; entropy and divergence follow by derivatives (Bregman's).
    """

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        """The natural parameters."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        """The logarithm of the normalizer."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        """The expectation of the carrier measure's logarithm."""
        raise NotImplementedError

    def _normalizer_gradients(self) -> tuple[Any, Any, Any]:
        """The natural parameters as leaves, the normalizer at them, and its slopes."""
        params = [each.detach().requires_grad_() for each in self._natural_params]
        normalizer = self._log_normalizer(*params)
        return params, normalizer, grad(normalizer.sum(), params, create_graph=True)

    def entropy(self) -> Any:
        params, normalizer, slopes = self._normalizer_gradients()
        found = -self._mean_carrier_measure + normalizer
        for param, slope in zip(params, slopes, strict=True):
            found -= (param * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return found


def family(
    natural: Callable[[Any], tuple[Any, ...]], normalizer: Callable[..., Any]
) -> Callable[[type[Kind]], type[Kind]]:
    """A decorator: the class's natural parameters and logarithm of its normalizer, as formulas."""

    def complete(kind: type[Kind]) -> type[Kind]:
        kind._natural_params = property(natural)  # type: ignore[method-assign, assignment]
        kind._log_normalizer = (  # type: ignore[method-assign]
            lambda self, *natural_params: normalizer(*natural_params)
        )
        return kind

    return complete


def bregman_divergence(p: ExponentialFamily, q: ExponentialFamily) -> Any:
    """The divergence of two distributions of one family.

    Raises:
        NotImplementedError: they are of two.
    """
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot                 "
            "            be computed using Bregman divergences"
        )
    params, normalizer, slopes = p._normalizer_gradients()
    others = q._natural_params
    found = q._log_normalizer(*others) - normalizer
    for mine, theirs, slope in zip(params, others, slopes, strict=True):
        found -= sum_rightmost((theirs - mine) * slope, len(q.event_shape))
    return found
