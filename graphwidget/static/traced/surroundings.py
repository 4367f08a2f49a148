"""What a function finds around it: the tensors it may use, and the values that decide what it does.

A recording holds only while those values are the same: numbers, texts and flags (``training``) in
the function's closure, in the globals that it names, and in the attributes of objects and modules
that it reaches from there. Tensors are used as they are at each call; another object under the same
name is noticed.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any

from ...graph.tensor import Tensor

SIMPLE = (bool, int, float, str, bytes, type(None))
DEPTH = 5
"""How far containers and objects are looked into."""

Facts = dict[str, Any]


class Watch:
    """Notices quickly whether anything in the surroundings may have changed: each container that
    was looked into holds the very objects that it held."""

    def __init__(self) -> None:
        self.holders: list[tuple[Any, list[int]]] = []
        self.metas: list[tuple[Tensor, Any]] = []

    def look_into(self, value: Any, parts: list[tuple[str, Any]]) -> None:
        """Remember what a value holds."""
        self.holders.append((value, [id(each) for _, each in parts]))

    def unchanged(self) -> bool:
        """Whether all is as it was."""
        return all(tensor._meta is meta for tensor, meta in self.metas) and all(
            [id(each) for _, each in parts_of(value)] == ids for value, ids in self.holders
        )


def look_around(function: Any) -> tuple[dict[int, Tensor], Facts, Watch]:
    """The tensors by ``id``, the values and tensors by where they are found, and a watch."""
    tensors: dict[int, Tensor] = {}
    facts: Facts = {}
    watch = Watch()
    seen: set[int] = set()
    left: list[tuple[str, Any, int]] = [("f", function, 0)]
    while left:
        path, value, depth = left.pop()
        if isinstance(value, Tensor):
            tensors[id(value)] = value
            facts[path] = value
            watch.metas.append((value, value._meta))
        elif isinstance(value, SIMPLE):
            facts[path] = value
        elif depth <= DEPTH and id(value) not in seen:
            seen.add(id(value))
            parts = list(parts_of(value))
            watch.look_into(value, parts)
            left += [(f"{path}{name}", part, depth + 1) for name, part in parts]
    return tensors, facts, watch


def parts_of(value: Any) -> Iterator[tuple[str, Any]]:
    """What is reached from a value, and how."""
    if isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
        yield ".__func__", value.__func__
    elif isinstance(value, types.FunctionType):
        yield from parts_of_function(value)
    elif isinstance(value, Mapping):
        for key in list(value):
            yield f"[{key!r}]", value[key]
    elif isinstance(value, (list, tuple, set, frozenset)):
        for place, each in enumerate(value):
            yield f"[{place}]", each
    elif isinstance(value, (types.ModuleType, type)) or is_ours(value):
        return
    else:
        for name, each in sorted(getattr(value, "__dict__", {}).items()):
            yield f".{name}", each
        forward = getattr(type(value), "forward", None)
        if isinstance(forward, types.FunctionType):
            yield ".forward", forward


def parts_of_function(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """A function's closure, its defaults and the globals that it names; not of ours."""
    if function.__module__ and function.__module__.partition(".")[0] == "graphwidget":
        return
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield f"<{name}>", cell.cell_contents
        except ValueError:  # not filled yet
            continue
    for name in code.co_names:
        if name in function.__globals__:
            yield f"@{name}", function.__globals__[name]
    yield ".__defaults__", function.__defaults__ or ()


def is_ours(value: Any) -> bool:
    """Whether a value is an object of the engine that is no module of a model."""
    home = type(value).__module__ or ""
    return home.startswith("graphwidget.") and not hasattr(value, "forward")


def same(before: Facts, now: Facts) -> bool:
    """Whether a recording still holds: tensors are the same objects, other values equal."""
    if before.keys() != now.keys():
        return False
    for path, value in before.items():
        other = now[path]
        if isinstance(value, Tensor) or isinstance(other, Tensor):
            if value is not other or value._meta is not other._meta:
                return False
        elif value.__class__ is not other.__class__ or (value != other and value == value):
            return False
    return True
