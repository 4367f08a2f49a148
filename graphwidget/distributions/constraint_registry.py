"""``biject_to`` and ``transform_to``: transforms from all numbers to what a constraint allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import constraints, transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Finds the transform to a constraint by the constraint's type."""

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Any]] = {}

    def register(self, constraint: Any, factory: Callable[[Any], Any] | None = None) -> Any:
        """Enter a function that makes the transform of a constraint; also a decorator.

        Raises:
            TypeError: no constraint.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not isinstance(constraint, type) or not issubclass(constraint, constraints.Constraint):
            raise TypeError(
                "Expected constraint to be either a Constraint subclass or instance, but got "
                f"{constraint}"
            )
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """The transform.

        Raises:
            NotImplementedError: there is none.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to, transform_to = ConstraintRegistry(), ConstraintRegistry()


def _above(constraint: Any) -> Any:
    """Above a bound."""
    shift = transforms.AffineTransform(constraint.lower_bound, 1)
    return transforms.ComposeTransform([transforms.ExpTransform(), shift])


def _below(constraint: Any) -> Any:
    """Below a bound."""
    shift = transforms.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([transforms.ExpTransform(), shift])


def _between(constraint: Any) -> Any:
    """Between two bounds."""
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, int | float) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    shift = transforms.AffineTransform(low, high - low)
    return transforms.ComposeTransform([transforms.SigmoidTransform(), shift])


def _of_parts(registry: ConstraintRegistry) -> Callable[[Any], Any]:
    """The transform of all parts of a value."""
    return lambda constraint: transforms.IndependentTransform(
        registry(constraint.base_constraint), constraint.reinterpreted_batch_ndims
    )


for _registry in (biject_to, transform_to):
    _registry.register(constraints.real, lambda constraint: transforms.identity_transform)
    _registry.register(constraints.greater_than, _above)
    _registry.register(constraints.greater_than_eq, _above)
    _registry.register(constraints.less_than, _below)
    _registry.register(constraints.interval, _between)
    _registry.register(constraints.half_open_interval, _between)
    _registry.register(constraints.independent, _of_parts(_registry))
biject_to.register(constraints.simplex, lambda constraint: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda constraint: transforms.SoftmaxTransform())
transform_to.register(
    constraints.lower_cholesky, lambda constraint: transforms.LowerCholeskyTransform()
)
transform_to.register(
    constraints.positive_definite, lambda constraint: transforms.PositiveDefiniteTransform()
)
transform_to.register(
    constraints.positive_semidefinite, lambda constraint: transforms.PositiveDefiniteTransform()
)


def _along_a_dim(registry: ConstraintRegistry) -> None:
    """The transforms of parts along a dim."""
    registry.register(
        constraints.cat,
        lambda constraint: transforms.CatTransform(
            [registry(each) for each in constraint.cseq], constraint.dim, constraint.lengths
        ),
    )
    registry.register(
        constraints.stack,
        lambda constraint: transforms.StackTransform(
            [registry(each) for each in constraint.cseq], constraint.dim
        ),
    )
    registry.register(
        constraints.corr_cholesky, lambda constraint: transforms.CorrCholeskyTransform()
    )


_along_a_dim(biject_to)
_along_a_dim(transform_to)
