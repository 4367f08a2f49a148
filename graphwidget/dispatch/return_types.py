"""Named results: tuples whose items have names too, as PyTorch's ``torch.return_types``."""

from __future__ import annotations

from operator import itemgetter
from typing import Any


class Named(tuple[Any, ...]):
    """A tuple with names for its items."""

    __slots__ = ()
    fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        items = ",\n".join(f"{name}={item!r}" for name, item in zip(self.fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{items})"

    def __reduce__(self) -> tuple[Any, ...]:
        return unpickle_result, (type(self).__name__, tuple(self))


TYPES: dict[str, type[Named]] = {}
"""Every kind of named result, by the name of its function."""


def named(name: str, *fields: str) -> type[Named]:
    """The result type of a function."""
    places = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
    made = type(name, (Named,), {"__slots__": (), "fields": fields, **places})
    made.__module__ = "torch.return_types"
    TYPES[name] = made
    return made


def written(kind: type[Named]) -> type[Named]:
    """The type of a result that was written into ``out=``."""
    name = f"{kind.__name__}_out"
    return TYPES.get(name) or named(name, *kind.fields)


def unpickle_result(name: str, items: tuple[Any, ...]) -> Named:
    """A pickled result."""
    return TYPES[name](items)
