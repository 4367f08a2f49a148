"""Tensors in the program's containers, with the code that gets them out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .looking import attributes, is_a, items, text
from .reading import fields_of

MAX_ITEMS = 64
"""Items of a container that get a name like ``xs[3]``."""

MAX_DEPTH = 2

Path = tuple[int | str, ...]
"""The keys, numbers and attributes that lead to a tensor."""


def parts(
    value: Any, is_tensor: Callable[[Any], bool], depth: int = MAX_DEPTH
) -> Iterator[tuple[str, Path, Any]]:
    """(what is typed after the container's name, path, tensor) of the tensors in a container: a
    list, a tuple with or without names, a dictionary, or a dataclass or what wraps a dictionary."""
    for suffix, key, item in _items(value):
        if is_tensor(item):
            yield suffix, (key,), item
        elif depth > 1:
            for more, path, tensor in parts(item, is_tensor, depth - 1):
                yield suffix + more, (key, *path), tensor


def _items(value: Any) -> Iterator[tuple[str, int | str, Any]]:
    kind = type(value)
    fields = fields_of(kind)
    by_name = hasattr(kind, "__dataclass_fields__")
    if by_name and not is_a(value, dict):
        for name, item in list(attributes(value).items())[:MAX_ITEMS]:
            if not name.startswith("_"):
                yield f".{name}", name, item
        return
    wrapped = None if is_a(value, (dict, list, tuple)) else _wrapped(value)
    for key, item in items(value if wrapped is None else wrapped, MAX_ITEMS):
        if fields and key < len(fields):
            yield f".{fields[key]}", key, item
        elif type(key) is str and key.isidentifier() and (by_name or wrapped is not None):
            yield (f".{key}" if by_name or _by_attribute(value) else f"[{key!r}]"), key, item
        elif type(key) in (int, str):
            yield f"[{text(key)}]", key, item


def _wrapped(value: Any) -> dict[Any, Any] | None:
    """The dictionary that an object wraps: a ``UserDict``, a graph of PyTorch Geometric's."""
    own = attributes(value)
    data = own.get("data", attributes(own.get("_store")).get("_mapping"))
    return data if type(data) is dict else None


def _by_attribute(value: Any) -> bool:
    """Return whether items of what wraps a dictionary are typed as attributes."""
    return "_store" in attributes(value)
