"""Surroundings of a recorded function: the tensors it reads, and the values that guard it.

A recording holds only while those values are the same: numbers, texts and flags (``training``) in
the function's closure, in the globals that it names, and in the attributes of objects, classes and
modules that it reaches from there. Tensors are used as they are at each call; another object under
the same name is noticed.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

from ..graph.tensor import Tensor
from ..nn.module import Module

SIMPLE = (bool, int, float, str, bytes, type(None))
LARGEST = 100_000
"""Number of values that are looked at; who has more around it is not recorded."""
Facts = dict[str, Any]


class TooMany(Exception):
    """A function has too much around it to be looked at in each call."""


class Watch:
    """Notices quickly whether anything in the surroundings may have changed: each container that
    was looked into holds the very objects that it held."""

    def __init__(self) -> None:
        self.holders: list[tuple[Any, list[int]]] = []
        self.metas: list[tuple[Tensor, Any, bool]] = []

    def look_into(self, value: Any, parts: list[tuple[str, Any]]) -> None:
        """Remember what a value holds."""
        self.holders.append((value, [id(each) for _, each in parts]))

    def unchanged(self) -> bool:
        """Return whether nothing has changed."""
        return all(
            tensor._meta is meta and tensor.requires_grad == on for tensor, meta, on in self.metas
        ) and all([id(each) for _, each in parts_of(value)] == ids for value, ids in self.holders)


def look_around(function: Any) -> tuple[dict[int, Tensor], Facts, Watch]:
    """The tensors by ``id``, the values and tensors by where they are found, and a watch.

    Raises:
        TooMany: there is no end of it.
    """
    tensors: dict[int, Tensor] = {}
    facts: Facts = {}
    watch = Watch()
    seen: set[int] = set()
    left: list[tuple[str, Any]] = [("f", function)]
    while left:
        path, value = left.pop()
        if isinstance(value, Tensor):
            tensors[id(value)] = value
            facts[path], facts[f"{path}.requires_grad"] = value, value.requires_grad
            watch.metas.append((value, value._meta, value.requires_grad))
        elif isinstance(value, SIMPLE):
            facts[path] = value
        elif id(value) not in seen:
            seen.add(id(value))
            parts = list(parts_of(value))
            if not parts:
                continue
            watch.look_into(value, parts)
            left += [(path + name, part) for name, part in parts]
            if len(facts) + len(left) > LARGEST:
                raise TooMany(f"it has more than {LARGEST} values around it")
    return tensors, facts, watch


def parts_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the objects reached from a value, with their paths."""
    if isinstance(value, Module):
        yield from parts_of_module(value)
    elif isinstance(value, types.FunctionType):
        yield from parts_of_function(value)
    elif isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
        yield ".__func__", value.__func__
    elif isinstance(value, functools.partial):
        yield ".func", value.func
        yield ".args", value.args
        yield ".keywords", value.keywords
    elif isinstance(value, Mapping):
        for key in list(value):
            yield f"[{key!r}]", value[key]
    elif isinstance(value, (list, tuple, set, frozenset)):
        for place, each in enumerate(value):
            yield f"[{place}]", each
    elif isinstance(value, type):
        yield from parts_of_class(value)
    elif not (isinstance(value, types.ModuleType) or is_closed(value)):
        for name, each in sorted(getattr(value, "__dict__", {}).items()):
            yield f".{name}", each
        yield "", type(value)


def parts_of_module(module: Module) -> Iterator[tuple[str, Any]]:
    """A module's attributes, parameters, buffers, children and hooks, and what its class says."""
    for name, each in module.__dict__.items():
        if name in ("_parameters", "_buffers", "_modules"):
            for inner, part in each.items():
                yield f".{inner}", part
        elif not isinstance(each, dict) or each:  # hooks there are seldom
            yield f".{name}", each
    yield "", type(module)


def parts_of_class(cls: type) -> Iterator[tuple[str, Any]]:
    """The methods and attributes of a class that a user wrote, and of those above it."""
    if not is_users(cls.__module__):
        return
    for name, each in vars(cls).items():
        if isinstance(each, (staticmethod, classmethod)):
            each = each.__func__
        elif isinstance(each, (property, functools.cached_property)):
            each = each.fget if isinstance(each, property) else each.func
        if isinstance(each, types.FunctionType):
            if name not in ("__init__", "__new__"):
                yield f".{name}", each
        elif not name.startswith("__"):
            yield f".{name}", each
    for base in cls.__bases__:
        yield "", base


def parts_of_function(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """A function's closure, its defaults and the globals that it names; not of ours."""
    if not is_users(function.__module__):
        return
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield f"<{name}>", cell.cell_contents
        except ValueError:  # not filled yet
            continue
    names = names_in(code)
    for name in names:
        if name not in function.__globals__:
            continue
        value = function.__globals__[name]
        if not isinstance(value, types.ModuleType):
            yield f"@{name}", value
        elif is_users(value.__name__):
            for other in names:
                if other in value.__dict__:
                    yield f"@{name}.{other}", value.__dict__[other]
    if function.__defaults__:
        yield ".__defaults__", function.__defaults__
    if function.__kwdefaults__:
        yield ".__kwdefaults__", function.__kwdefaults__
    if function.__dict__:
        yield ".__dict__", function.__dict__


@functools.lru_cache(4096)
def names_in(code: types.CodeType) -> tuple[str, ...]:
    """The names of globals and attributes in code, and in functions and comprehensions in it."""
    inner = (name for each in code.co_consts if isinstance(each, types.CodeType)
             for name in names_in(each))  # fmt: skip
    return tuple(dict.fromkeys((*code.co_names, *inner)))


@functools.lru_cache(4096)
def is_users(module: str | None) -> bool:
    """Return whether a module is a program's, not the engine's or Python's own."""
    root = (module or "").partition(".")[0]
    library = root in sys.stdlib_module_names and root != "__main__"
    return not library and root not in ("graphwidget", "torch", "numpy", "")


def is_closed(value: Any) -> bool:
    """Return whether an object is not looked into: one of the engine or of Python's library
    without parts of models."""
    home = type(value).__module__ or ""
    if hasattr(value, "forward") or home.startswith("graphwidget.distributions"):
        return False
    return not is_users(home) and home not in ("types", "argparse")


def same(before: Facts, now: Facts) -> bool:
    """Return whether a recording still holds: tensors are the same objects, other values equal."""
    return before.keys() == now.keys() and difference(before, now) is None


def difference(before: Facts, now: Facts) -> str | None:
    """Return the first path at which surroundings differ; None if they do not."""
    for path, value in before.items():
        if path not in now:
            return path
        other = now[path]
        if isinstance(value, Tensor) or isinstance(other, Tensor):
            if value is not other or value._meta is not other._meta:
                return path
        elif value.__class__ is not other.__class__ or (value != other and value == value):
            return path
    return next((path for path in now if path not in before), None)


def last_name(path: str) -> str:
    """The variable at the end of a path by which a function reaches something."""
    words = "".join(each if each.isalnum() or each == "_" else " " for each in path).split()
    return words[-1] if words else "captured"
