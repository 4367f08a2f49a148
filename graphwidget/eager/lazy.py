"""Functions whose source is written and compiled when they are first called.

There are many hundreds of generated functions, of which a program calls a few: to compile all of
them would take longer than the rest of the import.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, ClassVar

from ..graph import runtime


def pending(*args: Any, write: Callable[[], Callable[..., Any]], **kwargs: Any) -> Any:
    """What a function does until it is compiled: have itself compiled, and run."""
    return write()(*args, **kwargs)


def later(
    name: str, build: Callable[[], types.FunctionType], scope: dict[str, Any]
) -> types.FunctionType:
    """A function of this name with ``scope`` as its globals, which is what ``build`` gives."""
    function = types.FunctionType(pending.__code__, scope, name)
    function.__qualname__ = name  # by which Python's own errors call it

    def write(into: types.FunctionType = function) -> types.FunctionType:
        with runtime.lock:
            if is_pending(into):
                made = build()
                # ``write`` stays: another thread may be about to call what is still pending.
                into.__kwdefaults__ = {**(made.__kwdefaults__ or {}), "write": write}
                into.__defaults__ = made.__defaults__
                into.__code__ = made.__code__
        return into

    function.__kwdefaults__ = {"write": write}
    return function


def is_pending(function: types.FunctionType) -> bool:
    """Whether the function was not called yet."""
    return function.__code__ is pending.__code__


def is_generated(function: types.FunctionType) -> bool:
    """Whether the function comes from here."""
    return "write" in (function.__kwdefaults__ or {})


def compiled(source: str, title: str, scope: dict[str, Any]) -> types.FunctionType:
    """The one function that ``source`` defines, with ``scope`` as its globals; tracebacks show it
    as ``<graphwidget title>``."""
    found: dict[str, Any] = {}
    exec(compile(source, f"<graphwidget {title}>", "exec"), scope, found)
    (made,) = found.values()
    return made  # type: ignore[no-any-return]


class Names:
    """What a generated function's text calls the values that it uses. Generated functions share
    their globals, those of ``graph.runtime``, so the names of each begin with its own prefix.

    ``own("TARGET", target)`` is the name of a value."""

    taken: ClassVar[set[str]] = set()

    def __init__(self, prefix: str) -> None:
        while prefix in self.taken:  # by a function of the same name
            prefix += "other_"
        self.taken.add(prefix)
        self.prefix = prefix

    def __call__(self, name: str, value: Any) -> str:
        runtime.__dict__[self.prefix + name] = value
        return self.prefix + name


def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a written function's parameters, but ``*args`` and ``**kwargs``."""
    told = vars(function)
    if "__signature__" in told:
        return tuple(told["__signature__"].parameters)
    if "__wrapped__" in told:
        return parameter_names(told["__wrapped__"])
    code: types.CodeType = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
