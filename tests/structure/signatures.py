"""Arguments of PyTorch's functions and methods, by its own schemas, against those of ours.

``python -m tests.structure.signatures`` prints the differences.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch

import graphwidget.nn  # offers functions of its own
from graphwidget.dispatch.offer import FUNCTIONS, METHODS, SPACES

Function = Callable[..., Any]
NOT_CALLED_SO = ("out", "layout", "device", "pin_memory", "memory_format", "out_dtype")
"""Arguments of factories and of results, which the schemas of most ops leave to their wrappers; and
those of other devices."""

OTHER_NAMES = {"axis": "dim", "axis0": "dim0", "axis1": "dim1"}
"""Names in some schemas for what others, and ours, call ``dim``."""


READ = {"reduction": 0}
"""Defaults that PyTorch's parsers of functions of the top read otherwise than schemas say."""


class Argument(NamedTuple):
    """One argument of a schema."""

    name: str
    keyword_only: bool
    required: bool
    default: Any


def schemas(name: str) -> Iterator[list[Argument]]:
    """The arguments of each overload of an op that users can call."""
    packet = getattr(torch.ops.aten, name, None)
    for overload in packet.overloads() if packet is not None else ():
        schema = getattr(packet, overload)._schema
        types = [str(each.type) for each in schema.arguments]
        if {"a", "b", "t", "l", "list", "i", "reverse"} & {each.name for each in schema.arguments}:
            continue  # what TorchScript calls on Python's own values
        if any(each.is_out for each in schema.arguments) or any(
            word in kind for kind in types for word in ("Dimname", "str?", "Storage")
        ):
            continue
        yield [
            Argument(each.name, each.kwarg_only, not each.has_default_value(),
                     READ.get(each.name, each.default_value)
                     if each.has_default_value() else None)
            for each in schema.arguments
        ]  # fmt: skip


def theirs(space: str, name: str) -> list[list[Argument]]:
    """The ways in which PyTorch's function or method may be called."""
    owner = {"": torch, "Tensor": torch.Tensor}.get(space) or getattr(torch, space)
    function = getattr(owner, name)
    code = getattr(function, "__code__", None)
    if code is not None:  # written in Python
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return []
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
            return []
        return [[
            Argument(p.name, p.kind is p.KEYWORD_ONLY, p.default is p.empty,
                     None if p.default is p.empty else p.default) for p in parameters
        ]]  # fmt: skip
    prefix = "" if space in ("", "Tensor") else space + "_"
    found = []
    for arguments in schemas(prefix + name):
        if space == "Tensor":
            place = next((i for i, each in enumerate(arguments) if each.name == "self"), None)
            if place is None:
                continue
            arguments = [arguments[place], *arguments[:place], *arguments[place + 1 :]]
        else:
            arguments = [
                each._replace(name="input") if each.name == "self" else each for each in arguments
            ]
        found.append([each for each in arguments if each.name not in NOT_CALLED_SO])
    return found


def complaints(space: str, name: str, ours: Function) -> Iterator[str]:
    """Arguments by which theirs can be called and ours cannot."""
    try:
        parameters = list(inspect.signature(ours).parameters.values())
    except (TypeError, ValueError):
        return
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return
    names = [p.name for p in parameters]
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    title = f"{space or 'torch'}.{name}"
    for arguments in theirs(space, name):
        if space == "Tensor":
            arguments, own = arguments[1:], names[1:]
        else:
            own = names
        shown = f"{title}({', '.join(each.name for each in arguments)})"
        unknown = [
            each.name
            for each in arguments
            if each.name not in own and OTHER_NAMES.get(each.name) not in own
        ]
        if unknown:
            yield f"{shown}: unknown {unknown}; ours {own}"
            continue
        by_place = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
        by_place = by_place[len(names) - len(own) :]
        asked = [OTHER_NAMES.get(each.name, each.name) for each in arguments
                 if not each.keyword_only]  # fmt: skip
        if not variadic and any(
            name in by_place and by_place.index(name) != place for place, name in enumerate(asked)
        ):
            yield f"{shown}: order {own}"
            continue
        for each in arguments:
            mine = next((p for p in parameters if p.name == each.name), None)
            if mine is None or each.required:
                continue
            if mine.default is mine.empty:
                yield f"{shown}: {each.name} is optional ({each.default!r})"
            elif not same(mine.default, each.default):
                yield f"{shown}: {each.name}={mine.default!r}, theirs {each.default!r}"


def same(mine: Any, other: Any) -> bool:
    """Return whether two defaults mean the same."""
    if isinstance(other, (list, tuple)):
        many = mine if isinstance(mine, (list, tuple)) else [mine] * len(other)
        return list(many) == list(other)
    alike = (mine is None, mine is False and other is None, other == "valid")
    return bool(mine == other) or any(alike)


BY_KIND = "the first arguments may be left out; the others are distinguished by their kind"
APART = {
    **dict.fromkeys(
        (
            "Tensor.std",
            "Tensor.var",
            "torch.arange",
            "torch.randint",
            "torch.randint_like",
            "torch.repeat_interleave",
            "torch.std",
            "torch.std_mean",
            "torch.var",
            "torch.var_mean",
        ),
        BY_KIND,
    ),
    **dict.fromkeys(
        ("torch.gru", "torch.lstm", "torch.rnn_relu", "torch.rnn_tanh"),
        "packed sequences go through the layers only",
    ),
    "torch.compile": "its default backend is hidden there",
    "torch.norm": "its out= is positional there, between keepdim and dtype",
    "Tensor.random_": "from= is no name that a Python function can have",
    "Tensor.uniform_": "from= is no name that a Python function can have",
    "torch.result_type": "scalar=, scalar1= and scalar2=, when called with numbers",
    "Tensor.copy_": "it reads other=, whatever its schema says",
    "torch.fill": "value=",
}
"""Allowed differences, and why."""


def all_complaints() -> list[str]:
    """Those of all that both packages offer."""
    found = []
    places = {"": FUNCTIONS, "Tensor": METHODS, **SPACES}
    for space, functions in places.items():
        owner = {"": torch, "Tensor": torch.Tensor}.get(space) or getattr(torch, space)
        for name, function in sorted(functions.items()):
            if callable(function) and not name.startswith("__") and hasattr(owner, name):
                title = f"{space or 'torch'}.{name}"
                found += complaints(space, name, function) if title not in APART else ()
    return sorted(set(found))


if __name__ == "__main__":
    print(*all_complaints(), sep="\n")
    assert graphwidget
