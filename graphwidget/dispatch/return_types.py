"""``torch.return_types``: tuples whose items have names, such as ``values`` and ``indices``."""

from __future__ import annotations

from operator import itemgetter
from typing import Any


class NamedResult(tuple[Any, ...]):
    """A tuple with names for its items."""

    __slots__ = ()
    fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        items = ",\n".join(f"{name}={item!r}" for name, item in zip(self.fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{items})"

    def __reduce__(self) -> tuple[Any, ...]:
        return unpickle_result, (type(self).__name__, tuple(self))


TYPES: dict[str, type[NamedResult]] = {}
"""Every kind of named result, by the name of its function."""


def make_result_type(name: str, *fields: str) -> type[NamedResult]:
    """The result type of a function."""
    places = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
    made = type(name, (NamedResult,), {"__slots__": (), "fields": fields, **places})
    made.__module__ = "torch.return_types"
    TYPES[name] = made
    return made


def out_result_type(kind: type[NamedResult]) -> type[NamedResult]:
    """The type of a result that was written into ``out=``."""
    name = f"{kind.__name__}_out"
    return TYPES.get(name) or make_result_type(name, *kind.fields)


def unpickle_result(name: str, items: tuple[Any, ...]) -> NamedResult:
    """A pickled result."""
    return TYPES[name](items)
