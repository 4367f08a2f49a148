"""Functions whose source is written and compiled when they are first called.

There are many hundreds of generated functions, of which a program calls a few: to compile all of
them would take longer than the rest of the import.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from ..graph import runtime

Front = Callable[[Any, Any], Any]
"""What may stand before a function: it takes its arguments, those by position and those by name."""


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


def behind(front: Front, function: types.FunctionType) -> types.FunctionType:
    """What a function did, as another function; it itself hands its arguments to a front from now
    on. It stays the same object to all who hold it."""
    inner = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__,
        function.__closure__,
    )  # fmt: skip
    inner.__kwdefaults__ = dict(function.__kwdefaults__ or {})
    inner.__qualname__ = function.__qualname__
    inner.__annotations__ = function.__annotations__
    if is_pending(function):
        inner.__kwdefaults__["write"] = partial(inner.__kwdefaults__["write"], inner)
    told = vars(function)
    if "__signature__" not in told:  # by which others know its parameters
        told.setdefault("__wrapped__", inner)
    function.__kwdefaults__ = {**inner.__kwdefaults__, "front": front}
    function.__code__ = handing.__code__.replace(
        co_name=function.__name__,
        co_qualname=function.__qualname__,
        co_freevars=function.__code__.co_freevars,
    )
    return inner


def before(front: Front, function: types.FunctionType) -> types.FunctionType:
    """A function that hands its arguments to a front, in another one's place."""
    made = types.FunctionType(handing.__code__, globals(), function.__name__)
    made.__kwdefaults__ = {"front": front}
    return wraps(function)(made)  # type: ignore[return-value]


def handing(*args: Any, front: Front, **kwargs: Any) -> Any:
    """What a function with a front does."""
    return front(args, kwargs)


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
    """The globals of a generated function: ``own("TARGET", target)`` is what its text calls a
    value. Where functions share their globals, a prefix keeps their own names apart."""

    def __init__(self, scope: dict[str, Any], prefix: str = "") -> None:
        self.scope, self.prefix = scope, prefix

    def __call__(self, name: str, value: Any) -> str:
        self.scope[self.prefix + name] = value
        return self.prefix + name


def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a written function's parameters, but ``*args`` and ``**kwargs``."""
    told = vars(function)
    if "__signature__" in told:
        return tuple(told["__signature__"].parameters)
    code: types.CodeType = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
