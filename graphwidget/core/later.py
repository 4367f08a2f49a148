"""Functions whose source is written and compiled when they are first called.

There are many hundreds of generated functions, of which a program calls a few: to compile all of
them would take longer than the rest of the import.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Callable
from typing import Any

_WRITING = threading.RLock()


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
        with _WRITING:
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


def settled(function: types.FunctionType) -> types.FunctionType:
    """The function, compiled if it was not."""
    if is_pending(function):
        function.__kwdefaults__["write"]()  # type: ignore[index]  # pending ones have it
    return function


def compiled(source: str, title: str, scope: dict[str, Any]) -> types.FunctionType:
    """The one function that ``source`` defines, with ``scope`` as its globals; tracebacks show it
    as ``<graphwidget title>``."""
    found: dict[str, Any] = {}
    exec(compile(source, f"<graphwidget {title}>", "exec"), scope, found)
    (made,) = found.values()
    return made  # type: ignore[no-any-return]


def first_named(function: types.FunctionType, first: str) -> types.FunctionType:
    """The same function with another name for its first parameter."""

    def renamed() -> types.FunctionType:
        code = settled(function).__code__
        made = types.FunctionType(
            code.replace(co_varnames=(first, *code.co_varnames[1:])), function.__globals__,
            function.__name__, function.__defaults__, function.__closure__,
        )  # fmt: skip
        made.__kwdefaults__ = function.__kwdefaults__
        return made

    if is_pending(function):
        made = later(function.__name__, renamed, function.__globals__)
    else:
        made = renamed()
    made.__module__, made.__doc__ = function.__module__, function.__doc__
    return made


def first_names(function: types.FunctionType) -> tuple[str, ...] | None:
    """Names among which are all parameters of a function, the first one first, at a glance
    (``inspect.signature`` takes long); None where only that tells them."""
    told = vars(function)
    if "__signature__" in told:
        return tuple(told["__signature__"].parameters)
    if "__wrapped__" in told or is_pending(function):
        return None
    return function.__code__.co_varnames


def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a written function's parameters, but ``*args`` and ``**kwargs``."""
    told = vars(function)
    if "__signature__" in told:
        return tuple(told["__signature__"].parameters)
    code: types.CodeType = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
