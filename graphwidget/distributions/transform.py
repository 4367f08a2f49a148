"""``Transform``, the base class of invertible functions; inverses and compositions.

They know the slopes that densities need.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from typing import Any, ClassVar

from ..dispatch.offer import FUNCTIONS as F
from . import constraints
from .distribution import forwarded_property
from .independent import sum_rightmost


class Transform:
    """A function of tensors, `domain` to `codomain`; the last `event_dim` dims are one value.

    With `cache_size=1` the last argument and its result are kept, so that the inverse of a result
    is the very argument, without rounding.
    """

    bijective: Any = False
    domain: Any
    codomain: Any
    _arguments: ClassVar[tuple[str, ...]] = ()
    """What the constructor takes beside the size of the cache, for `with_cache`."""

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._cached: tuple[Any, Any] = (None, None)
        self._inv: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}  # it is made anew, and only referred to weakly

    @property
    def event_dim(self) -> int:
        """The dims of one value, where they are as many before as after.

        Raises:
            ValueError: they are not.
        """
        if self.domain.event_dim == self.codomain.event_dim:
            return int(self.domain.event_dim)
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def sign(self) -> Any:
        """1 where results rise with their arguments, -1 where they fall."""
        raise NotImplementedError

    @property
    def inv(self) -> Any:
        """The inverse, itself a transform."""
        found = self._inv() if self._inv is not None else None
        if found is None:
            found = _InverseTransform(self)
            self._inv = weakref.ref(found)
        return found

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same function with a cache of another size."""
        if self._cache_size == cache_size:
            return self
        for kind in type(self).__mro__:
            if "_arguments" in vars(kind):  # they are of this class's constructor
                break
            if "__init__" in vars(kind):
                raise NotImplementedError(f"{type(self)}.with_cache is not implemented")
        kind = type(self) if kind is Transform else kind
        return kind(*(getattr(self, name) for name in self._arguments), cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __call__(self, x: Any) -> Any:
        if self._cache_size and x is self._cached[0]:
            return self._cached[1]
        y = self._call(x)
        if self._cache_size:
            self._cached = x, y
        return y

    def _inv_call(self, y: Any) -> Any:
        if self._cache_size and y is self._cached[1]:
            return self._cached[0]
        x = self._inverse(y)
        if self._cache_size:
            self._cached = x, y
        return x

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The logarithm of the absolute slope at x, where the result is y."""
        raise NotImplementedError

    def forward_shape(self, shape: Any) -> Any:
        """The result's shape."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """The argument's shape."""
        return shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _InverseTransform(Transform):
    """Another transform, backwards."""

    inv = forwarded_property("_inv")
    domain, codomain = forwarded_property("_inv.codomain"), forwarded_property("_inv.domain")
    bijective, sign = forwarded_property("_inv.bijective"), forwarded_property("_inv.sign")

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv: Any = transform

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def with_cache(self, cache_size: int = 1) -> Any:
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and bool(self._inv == other._inv)

    __hash__ = Transform.__hash__

    def __call__(self, x: Any) -> Any:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Any:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._inv.forward_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"


class ComposeTransform(Transform):
    """Several transforms one after the other."""

    _arguments = ("parts",)

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = Transform.__hash__

    @property
    def domain(self) -> Any:
        """The first one's."""
        if not self.parts:
            return constraints.real
        first, dims = self.parts[0].domain, self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            into, out = part.domain.event_dim, part.codomain.event_dim
            dims = max(dims + into - out, into)
        extra = dims - first.event_dim
        return constraints.independent(first, extra) if extra > 0 else first

    @property
    def codomain(self) -> Any:
        """The last one's."""
        if not self.parts:
            return constraints.real
        last, dims = self.parts[-1].codomain, self.parts[0].domain.event_dim
        for part in self.parts:
            into, out = part.domain.event_dim, part.codomain.event_dim
            dims = max(dims + out - into, out)
        extra = dims - last.event_dim
        return constraints.independent(last, extra) if extra > 0 else last

    @property
    def bijective(self) -> bool:
        """Whether all are."""
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> Any:
        """The product of all."""
        return math.prod((part.sign for part in self.parts), start=1)

    @property
    def inv(self) -> Any:
        """The inverses, the last one first."""
        found = self._inv() if self._inv is not None else None
        if found is None:
            found = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv, found._inv = weakref.ref(found), weakref.ref(self)
        return found

    def __call__(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The sum of all."""
        if not self.parts:
            return F["zeros_like"](x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        found, dims = [], self.domain.event_dim
        for part, before, after in zip(self.parts, values[:-1], values[1:], strict=True):
            slope = part.log_abs_det_jacobian(before, after)
            found.append(sum_rightmost(slope, dims - part.domain.event_dim))
            dims += part.codomain.event_dim - part.domain.event_dim
        total = found[0]
        for each in found[1:]:
            total = total + each
        return total

    def forward_shape(self, shape: Any) -> Any:
        """The last one's result's."""
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """The first one's argument's."""
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        inner = ",\n    ".join(map(repr, self.parts))
        return f"{type(self).__name__}(\n    {inner}\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """Another transform, of which more dims are one value."""

    bijective, sign = (
        forwarded_property("base_transform.bijective"),
        forwarded_property("base_transform.sign"),
    )

    def __init__(
        self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0
    ) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def domain(self) -> Any:
        """The base's, of more dims."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self) -> Any:
        """The base's, of more dims."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    def _call(self, x: Any) -> Any:
        if x.dim() < self.domain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y: Any) -> Any:
        if y.dim() < self.codomain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The base's, added up."""
        found = self.base_transform.log_abs_det_jacobian(x, y)
        return sum_rightmost(found, self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"
