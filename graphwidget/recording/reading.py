"""Reads what a path of the program, as ``batch["x"]``, gives: none of the program's code runs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MemberDescriptorType
from typing import Any

from .looking import attributes, is_a

Step = tuple[str, int | str]
"""One step of a path: ``name``, ``attribute`` or ``item``, and which."""

Member = Callable[[Any, str], Any]
"""Returns an attribute of a tensor that an engine keeps itself, else None."""


@lru_cache(maxsize=4_096)
def steps_of(text: str) -> tuple[Step, ...]:
    """The steps of a path, see ``spelling.path_of``."""
    found: list[Step] = []
    node: ast.expr = ast.parse(text, mode="eval").body
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            found.append(("attribute", node.attr))
        else:
            assert isinstance(node, ast.Subscript)
            found.append(("item", ast.literal_eval(node.slice)))
        node = node.value
    return ("name", node.id), *reversed(found)


def read(text: str, own: Mapping[str, Any], around: Mapping[str, Any], member: Member) -> Any:
    """The value of a path whose first name is a variable of a function's own or of those around it;
    None where there is none."""
    (_, name), *steps = steps_of(text)
    value = own.get(str(name), around.get(str(name)))
    for kind, key in steps:
        if value is None:
            break
        value = item_of(value, key) if kind == "item" else attribute_of(value, str(key), member)
    return value


def item_of(container: Any, key: int | str) -> Any:
    """The item of a dictionary, a list or a tuple; None of other objects."""
    if is_a(container, dict):
        return dict.get(container, key)
    if type(key) is not int:
        return None
    if is_a(container, list) and -len(container) <= key < list.__len__(container):
        return list.__getitem__(container, key)
    if is_a(container, tuple) and -len(container) <= key < tuple.__len__(container):
        return tuple.__getitem__(container, key)
    return None


def attribute_of(value: Any, name: str, member: Member) -> Any:
    """An attribute that is stored: in the object, in a module, in a tuple with names."""
    found = member(value, name)
    if found is not None:
        return found
    own = attributes(value)
    for stored in (own, *map(own.get, ("_parameters", "_buffers", "_modules"))):
        if type(stored) is dict and name in stored:
            return stored[name]
    fields = fields_of(type(value))
    return tuple.__getitem__(value, fields.index(name)) if name in fields else None


def fields_of(kind: type[Any]) -> tuple[str, ...]:
    """The names of the items of a kind of tuples; none for others."""
    if not issubclass(kind, tuple):
        return ()
    own = kind.__dict__
    fields = own.get("_fields", own.get("fields"))  # the latter of graphwidget's results
    if type(fields) is tuple:
        return fields
    if "n_sequence_fields" not in own:
        return ()
    return tuple([x for x, place in own.items() if type(place) is MemberDescriptorType])
