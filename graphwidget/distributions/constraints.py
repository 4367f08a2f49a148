"""``torch.distributions.constraints``: what parameters and values must satisfy."""

from __future__ import annotations

from typing import Any, ClassVar

from ..absent import refuse_others
from ..dispatch.offer import FUNCTIONS as F


class Constraint:
    """Says of each value whether it is allowed; the last `event_dim` dims are one value."""

    is_discrete = False
    event_dim = 0

    def check(self, value: Any) -> Any:
        """A bool tensor: which values are allowed."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return type(self).__name__.removeprefix("_") + "()"


class _Real(Constraint):
    def check(self, value: Any) -> Any:
        return value == value


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value == 0) | (value == 1)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Any) -> Any:
        return F["all"](value >= 0, dim=-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Bounded(Constraint):
    """Base of constraints with bounds, which their repr shows."""

    names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *bounds: Any, **named: Any) -> None:
        self._bounds = {**dict(zip(self.names, bounds, strict=False)), **named}
        self.__dict__.update(self._bounds)

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value}" for name, value in self._bounds.items())
        return f"{type(self).__name__.removeprefix('_')}({told})"


class _GreaterThan(_Bounded):
    names = ("lower_bound",)
    lower_bound: Any

    def check(self, value: Any) -> Any:
        return self.lower_bound < value


class _LessThan(_Bounded):
    names = ("upper_bound",)
    upper_bound: Any

    def check(self, value: Any) -> Any:
        return value < self.upper_bound


class _Interval(_Bounded):
    names = ("lower_bound", "upper_bound")
    lower_bound: Any
    upper_bound: Any

    def check(self, value: Any) -> Any:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerInterval(_Interval):
    is_discrete = True

    def check(self, value: Any) -> Any:
        whole = value % 1 == 0
        return whole & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IndependentConstraint(Constraint):
    """Another constraint, of which all in the last dims must hold."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Any) -> Any:
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        kept = result.shape[: result.dim() - self.reinterpreted_batch_ndims]
        return result.reshape((*kept, -1)).all(-1)

    def __repr__(self) -> str:
        name = type(self).__name__.removeprefix("_")
        return f"{name}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class _Dependent(Constraint):
    """A constraint that depends on parameters, of which a class can say only so much."""

    def __init__(
        self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented
    ) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return bool(self._is_discrete)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return int(self._event_dim)

    def __call__(
        self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented
    ) -> Any:
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value: Any) -> Any:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property that is such a constraint on the class, and the real one on an object."""

    def __init__(
        self, fn: Any = None, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented
    ) -> None:
        property.__init__(self, fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Any) -> Any:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


greater_than, less_than = _GreaterThan, _LessThan
interval, integer_interval = _Interval, _IntegerInterval
independent = _IndependentConstraint
dependent, dependent_property = _Dependent(), _DependentProperty
real = _Real()
real_vector = independent(real, 1)
boolean = _Boolean()
simplex = _Simplex()
positive = greater_than(0.0)
unit_interval = interval(0.0, 1.0)

refuse_others(__name__)
