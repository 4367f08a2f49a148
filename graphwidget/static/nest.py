"""Flattens nested lists, tuples, dicts and namedtuples, and packs them again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from copy import copy
from typing import Any


def flatten(structure: Any) -> list[Any]:
    """Return the values in a structure, in order (that of the keys, in dicts)."""
    if isinstance(structure, Mapping):
        return [item for key in sorted(structure) for item in flatten(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [item for each in structure for item in flatten(each)]
    return [structure]


def pack_like(structure: Any, flat: Any) -> Any:
    """A structure like another with other things in it."""
    return _packed(structure, iter(flat))


def _packed(structure: Any, flat: Iterator[Any]) -> Any:
    if isinstance(structure, Mapping):
        found = {key: _packed(structure[key], flat) for key in sorted(structure)}
        if isinstance(structure, MutableMapping):  # some take more than items to be made
            made = copy(structure)
            for key in structure:
                made[key] = found[key]
            return made
        return type(structure)((key, found[key]) for key in structure)  # type: ignore[call-arg]
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(_packed(each, flat) for each in structure))
    if isinstance(structure, (list, tuple)):
        return type(structure)([_packed(each, flat) for each in structure])
    return next(flat)


def outline(structure: Any) -> str:
    """A structure with dots for what lies in it."""
    if isinstance(structure, Mapping):
        inner = ", ".join(f"{key!r}: {outline(structure[key])}" for key in sorted(structure))
        return f"{{{inner}}}"
    if isinstance(structure, (list, tuple)):
        inner = ", ".join(map(outline, structure))
        return f"[{inner}]" if isinstance(structure, list) else f"({inner})"
    return "."


def check_same(first: Any, second: Any) -> None:
    """Check that two structures are alike.

    Raises:
        ValueError: they are not (TensorFlow's text).
    """
    reason = difference(first, second)
    if reason:
        raise ValueError(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {shown(first)}\n\nSecond structure: {shown(second)}\n\n"
            f"More specifically: {reason}\nEntire first structure:\n{outline(first)}\n"
            f"Entire second structure:\n{outline(second)}"
        )


def shown(structure: Any) -> str:
    """A structure as messages show it."""
    return f"type={type(structure).__name__} str={structure}"


def is_nest(structure: Any) -> bool:
    """Return whether things lie in it."""
    return isinstance(structure, (list, tuple, Mapping))


def difference(first: Any, second: Any) -> str:
    """Return the first difference of two structures; "" without any. Lists and tuples are alike."""
    if is_nest(first) != is_nest(second):
        inner, other = (first, second) if is_nest(first) else (second, first)
        return (
            f'Substructure "{shown(inner)}" is a sequence, while substructure "{shown(other)}" '
            "is not"
        )
    if not is_nest(first):
        return ""
    if len(first) != len(second):
        return (
            "The two structures don't have the same number of elements. First structure: "
            f"{shown(first)}. Second structure: {shown(second)}"
        )
    if isinstance(first, Mapping) or isinstance(second, Mapping):
        if not (isinstance(first, Mapping) and isinstance(second, Mapping)):
            return f"{shown(first)} and {shown(second)} are not both dicts"
        if set(first) != set(second):
            return f"the keys {sorted(first)} are not {sorted(second)}"
        pairs = [(first[key], second[key]) for key in sorted(first)]
    else:
        pairs = list(zip(first, second, strict=True))
    return next(filter(None, (difference(one, two) for one, two in pairs)), "")
