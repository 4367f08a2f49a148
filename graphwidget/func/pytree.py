"""Pytrees: nested tuples, lists and dicts, flattened and rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Spec(NamedTuple):
    """The shape of a nest: ``kind`` is None for a value, else the class of the container, whose
    ``parts`` have specs; a dict has ``keys`` too."""

    kind: type[Any] | None
    parts: tuple[Spec, ...] = ()
    keys: tuple[Any, ...] = ()

    def __str__(self) -> str:
        if self.kind is None:
            return "*"
        if self.keys:
            pairs = zip(self.keys, self.parts, strict=True)
            return "{" + ", ".join(f"{key!r}: {part}" for key, part in pairs) + "}"
        parts = ", ".join(map(str, self.parts))
        comma = "," * (len(self.parts) == 1)
        return f"[{parts}]" if issubclass(self.kind, list) else f"({parts}{comma})"

    def printed(self, indent: int = 2) -> str:
        """The text that PyTorch prints without indentation."""
        if self.kind is None:
            return "*"
        keys = list(self.keys) if issubclass(self.kind, dict) else None
        space = ",\n" + " " * indent
        parts = space.join(part.printed(indent + 2) for part in self.parts)
        return f"TreeSpec({self.kind.__name__}, {keys}, [{parts}])"


LEAF = Spec(None)


def tree_flatten(tree: Any) -> tuple[list[Any], Spec]:
    """The values of a nest, in order, and its shape."""
    if isinstance(tree, dict):
        keys = tuple(tree)
        parts = [tree_flatten(tree[key]) for key in keys]
    elif isinstance(tree, (tuple, list)):
        keys, parts = (), [tree_flatten(each) for each in tree]
    else:
        return [tree], LEAF
    spec = Spec(type(tree), tuple(spec for _, spec in parts), keys)
    return [value for values, _ in parts for value in values], spec


def tree_unflatten(values: Sequence[Any], spec: Spec) -> Any:
    """The nest of that shape with these values."""
    return rebuild(iter(values), spec)


def rebuild(values: Any, spec: Spec) -> Any:
    """``tree_unflatten``, from an iterator."""
    if spec.kind is None:
        return next(values)
    parts = [rebuild(values, part) for part in spec.parts]
    if issubclass(spec.kind, dict):
        return spec.kind(zip(spec.keys, parts, strict=True))
    if hasattr(spec.kind, "_fields"):  # a named tuple
        return spec.kind(*parts)
    return spec.kind(parts)


def tree_map(function: Callable[[Any], Any], tree: Any) -> Any:
    """A function of each value of a nest."""
    values, spec = tree_flatten(tree)
    return tree_unflatten([function(value) for value in values], spec)


def broadcast_prefix(given: Any, spec: Spec) -> list[Any] | None:
    """One value for each value of a nest, from one for all or from a nest of the same shape or
    coarser; None where the shapes differ."""
    if spec.kind is None:
        return [given] if not isinstance(given, (tuple, list, dict)) else None
    if given is None or not isinstance(given, (tuple, list, dict)):
        return [given] * count_leaves(spec)
    parts = list(given.values()) if isinstance(given, dict) else list(given)
    same = isinstance(given, dict) == issubclass(spec.kind, dict)
    if not same or len(parts) != len(spec.parts):
        return None
    found: list[Any] = []
    for part, each in zip(parts, spec.parts, strict=True):
        below = broadcast_prefix(part, each)
        if below is None:
            return None
        found += below
    return found


def count_leaves(spec: Spec) -> int:
    """Return how many values a nest of this shape has."""
    return 1 if spec.kind is None else sum(count_leaves(part) for part in spec.parts)
