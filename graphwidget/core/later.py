"""Functions whose source is written and compiled when they are first called.

There are many hundreds of generated functions, of which a program calls a few: to compile all of
them would take longer than the rest of the import.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from . import hot


def pending(*args: Any, write: Callable[[], Callable[..., Any]], **kwargs: Any) -> Any:
    """What a function does until it is compiled: have itself compiled, and run."""
    return write()(*args, **kwargs)


def later(
    name: str, build: Callable[[], types.FunctionType], scope: dict[str, Any]
) -> types.FunctionType:
    """A function of this name with ``scope`` as its globals, which is what ``build`` gives."""
    function = types.FunctionType(pending.__code__, scope, name)
    function.__qualname__ = name  # by which Python's own errors call it

    def write() -> types.FunctionType:
        with hot.lock:
            if is_pending(function):
                made = build()
                # ``write`` stays: another thread may be about to call what is still pending.
                function.__kwdefaults__ = {**(made.__kwdefaults__ or {}), "write": write}
                function.__defaults__ = made.__defaults__
                function.__code__ = made.__code__
        return function

    function.__kwdefaults__ = {"write": write}
    return function


def is_pending(function: types.FunctionType) -> bool:
    """Whether the function was not called yet."""
    return function.__code__ is pending.__code__


def compiled(source: str, title: str, scope: dict[str, Any]) -> types.FunctionType:
    """The one function that ``source`` defines, with ``scope`` as its globals; tracebacks show it
    as ``<graphwidget title>``."""
    found: dict[str, Any] = {}
    exec(compile(source, f"<graphwidget {title}>", "exec"), scope, found)
    (made,) = found.values()
    return made  # type: ignore[no-any-return]


def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a written function's parameters, but ``*args`` and ``**kwargs``."""
    told = vars(function)
    if "__signature__" in told:
        return tuple(told["__signature__"].parameters)
    code: types.CodeType = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
