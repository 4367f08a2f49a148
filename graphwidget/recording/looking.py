"""Ways to look at the program's objects that run none of its code.

A variable may refer to anything: a proxy whose object is gone, a class that raises from
``__class__`` or ``__eq__``, a dictionary that computes its items. ``isinstance`` and ``getattr``
ask the object; these functions ask its type and read what is stored. For a text the object's own
``repr`` has to run: exceptions of it are caught here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeGuard, TypeVar

Kind = TypeVar("Kind")


def is_a(value: Any, kind: type[Kind] | tuple[type[Kind], ...]) -> TypeGuard[Kind]:
    """Return whether the type of an object is this one or inherits from it."""
    return issubclass(type(value), kind)


def attributes(value: Any) -> dict[str, Any]:
    """The attributes that are stored in an object; none for a class."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except Exception:  # it has none, or a property of its own in that place
        return {}
    return own if type(own) is dict else {}


def items(container: Any, most: int | None = None) -> Iterator[tuple[Any, Any]]:
    """(key, item) of the first items of a list, tuple or dictionary; nothing of other objects."""
    if is_a(container, dict):
        yield from islice(list(dict.items(container)), most)
    elif is_a(container, list):
        yield from enumerate(list.__getitem__(container, slice(most)))
    elif is_a(container, tuple):
        yield from enumerate(tuple.__getitem__(container, slice(most)))


def text(value: Any, show: Callable[[Any], str] = repr) -> str:
    """The ``repr`` or ``str`` of an object; ``<Class>`` where that raises."""
    try:
        return show(value)
    except Exception:
        return f"<{type.__getattribute__(type(value), '__name__')}>"


def message_of(error: BaseException) -> str:
    """The text of an error of the program's."""
    return text(error, str)


def add_note(error: BaseException, note: str) -> None:
    """Add a note to an error, which its traceback ends with."""
    BaseException.add_note(error, note)
