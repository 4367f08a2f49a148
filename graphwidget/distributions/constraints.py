"""``torch.distributions.constraints``: what parameters and values must satisfy."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

import numpy as np

from ..dispatch.offer import FUNCTIONS as F
from ..dispatch.offer import SPACES

LINALG = SPACES["linalg"]


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
    """Those with bounds, which their repr tells."""

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


class _GreaterThanEq(_Bounded):
    names = ("lower_bound",)
    lower_bound: Any

    def check(self, value: Any) -> Any:
        return self.lower_bound <= value


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


class _HalfOpenInterval(_Interval):
    def check(self, value: Any) -> Any:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _IntegerGreaterThan(_GreaterThan):
    is_discrete = True

    def check(self, value: Any) -> Any:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        boolean = (value == 0) | (value == 1)
        return boolean.all(-1) & value.sum(-1).eq(1)


class _Multinomial(Constraint):
    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, x: Any) -> Any:
        return (x >= 0).all(dim=-1) & (x.sum(dim=-1) <= self.upper_bound)


class _Square(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        square = value.shape[-2] == value.shape[-1]
        return F["full"](value.shape[:-2], square)


class _Symmetric(_Square):
    def check(self, value: Any) -> Any:
        square = super().check(value)
        if not square.all():
            return square
        return F["isclose"](value, value.mT, atol=1e-6).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        symmetric = super().check(value)
        if not symmetric.all():
            return symmetric
        return LINALG["eigvalsh"](value).ge(0).all(-1)


class _PositiveDefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        symmetric = super().check(value)
        if not symmetric.all():
            return symmetric
        return LINALG["cholesky_ex"](value)[1].eq(0)


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        return _all_of_matrix(value.tril() == value)


class _LowerCholesky(_LowerTriangular):
    def check(self, value: Any) -> Any:
        positive = (value.diagonal(dim1=-2, dim2=-1) > 0).min(-1)[0]
        return super().check(value) & positive


class _CorrCholesky(_LowerCholesky):
    """Factors of correlations: their rows are of length 1."""

    def check(self, value: Any) -> Any:
        tolerance = float(np.finfo(value.dtype.numpy).eps) * value.size(-1) * 10
        lengths = LINALG["norm"](value.detach(), dim=-1)
        return super().check(value) & (lengths - 1.0).abs().le(tolerance).all(dim=-1)


def _all_of_matrix(holds: Any) -> Any:
    return holds.reshape((*holds.shape[:-2], -1)).min(-1)[0]


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


class _Sequence(Constraint):
    """Several constraints, each for its part along a dim."""

    def __init__(self, cseq: Any, dim: int = 0) -> None:
        if not all(isinstance(each, Constraint) for each in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq = list(cseq)
        self.dim = dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return any(each.is_discrete for each in self.cseq)

    def _check_dim(self, value: Any) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(
                f"dim {self.dim} out of range for value with {value.dim()} dimensions"
            )


class _Cat(_Sequence):
    """Parts of some lengths."""

    def __init__(self, cseq: Any, dim: int = 0, lengths: Any = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(
                f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})"
            )

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return int(max(each.event_dim for each in self.cseq))

    def check(self, value: Any) -> Any:
        self._check_dim(value)
        starts = [0, *itertools.accumulate(self.lengths)]
        parts = zip(self.cseq, starts, self.lengths, strict=False)
        checks = [each.check(value.narrow(self.dim, at, length)) for each, at, length in parts]
        return F["cat"](checks, self.dim)


class _Stack(_Sequence):
    """One for each index."""

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        dims = int(max(each.event_dim for each in self.cseq))
        return dims + 1 if self.dim + dims < 0 else dims

    def check(self, value: Any) -> Any:
        self._check_dim(value)
        parts = zip(value.unbind(self.dim), self.cseq, strict=True)
        return F["stack"]([each.check(part) for part, each in parts], self.dim)


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


def is_dependent(constraint: Any) -> bool:
    """Whether a constraint depends on parameters."""
    return isinstance(constraint, _Dependent)


class MixtureSameFamilyConstraint(Constraint):
    """Another constraint, that must hold for all parts of a mixture."""

    def __init__(self, base_constraint: Constraint) -> None:
        self.base_constraint = base_constraint
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim

    def check(self, value: Any) -> Any:
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        kept = value.shape[: value.dim() - self.event_dim]
        return result.reshape((*kept, -1)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, half_open_interval, integer_interval = _Interval, _HalfOpenInterval, _IntegerInterval
independent, multinomial = _IndependentConstraint, _Multinomial
cat, stack = _Cat, _Stack
dependent, dependent_property = _Dependent(), _DependentProperty
corr_cholesky = _CorrCholesky()
real = _Real()
real_vector = independent(real, 1)
boolean = _Boolean()
simplex = _Simplex()
nonnegative_integer, positive_integer = (_IntegerGreaterThan(lower_bound=n) for n in (0, 1))
one_hot = _OneHot()
square, symmetric = _Square(), _Symmetric()
positive_semidefinite, positive_definite = _PositiveSemidefinite(), _PositiveDefinite()
lower_triangular, lower_cholesky = _LowerTriangular(), _LowerCholesky()
positive = greater_than(0.0)
nonnegative = _GreaterThanEq(lower_bound=0.0)
unit_interval = interval(0.0, 1.0)
