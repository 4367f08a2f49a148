"""Generated functions whose source is written and compiled when they are first called.

There are many hundreds of generated functions, of which a program calls a few: to compile all of
them would take longer than the rest of the import.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any, ClassVar

from ..graph import runtime


def compile_and_call(*args: Any, write: Callable[[], Callable[..., Any]], **kwargs: Any) -> Any:
    """Compile the function and run it: its body until the first call."""
    return write()(*args, **kwargs)


def lazy_function(
    name: str,
    build: Callable[..., types.FunctionType],
    signature: Callable[..., inspect.Signature],
    wrapped: Callable[..., Any],
    *about: Any,
) -> Any:
    """A function whose code is made when it is first called.

    Args:
        name: what it is called.
        build: gives a function with that code; called with the one that gets it, and ``about``.
        signature: gives the signature that ``inspect`` shows; called with ``about``.
        wrapped: the function written by hand behind it, whose source editors show.
        about: what the two need to know. (A closure or partial for each of them, of more than a
            thousand functions, would be felt at import.)
    """
    function = types.FunctionType(compile_and_call.__code__, runtime.__dict__, name)
    function.__qualname__ = name  # by which Python's own errors call it
    made = Generated(function, build, signature, wrapped, about)
    function.__kwdefaults__ = {"write": made}
    function.__dict__["__wrapped__"] = made
    return function


class Generated:
    """Source of a generated function's code and signature. ``inspect.signature`` finds the
    signature here, because the function has this as ``__wrapped__``."""

    __slots__ = ("__wrapped__", "about", "build", "function", "signature")

    def __init__(
        self, function: Any, build: Any, signature: Any, wrapped: Any, about: tuple[Any, ...]
    ) -> None:
        self.function, self.build, self.signature = function, build, signature
        self.__wrapped__, self.about = wrapped, about

    @property
    def __signature__(self) -> inspect.Signature:
        return self.signature(*self.about)  # type: ignore[no-any-return]

    def __call__(self) -> types.FunctionType:
        """Write the function, unless it is written."""
        function = self.function
        with runtime.lock:
            if is_pending(function):
                made = self.build(function, *self.about)
                # ``write`` stays: another thread may be about to call what is still pending.
                function.__kwdefaults__ = {**(made.__kwdefaults__ or {}), "write": self}
                function.__defaults__ = made.__defaults__
                function.__code__ = made.__code__
        return function  # type: ignore[no-any-return]


def is_pending(function: types.FunctionType) -> bool:
    """Return whether the function was not called yet."""
    return function.__code__ is compile_and_call.__code__


def is_generated(function: Any) -> bool:
    """Return whether the function comes from here."""
    return "write" in (getattr(function, "__kwdefaults__", None) or {})


def compile_function(source: str, title: str, scope: dict[str, Any]) -> types.FunctionType:
    """Return the one function that ``source`` defines, with ``scope`` as its globals. Tracebacks
    show it as ``<graphwidget title>``, ``show_code`` prints the source."""
    defined: dict[str, types.FunctionType] = {}
    exec(compile(source, f"<graphwidget {title}>", "exec"), scope, defined)
    (function,) = defined.values()
    SOURCES[function.__code__] = source
    return function


SOURCES: dict[types.CodeType, str] = {}
"""The sources of compiled functions, for ``show_code``."""


class Names:
    """Names of values in a generated function's text. Generated functions share their globals,
    those of ``graph.runtime``, so the names of each begin with its own prefix.

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
    if vars(function).keys() & {"__signature__", "__wrapped__"}:
        return tuple(inspect.signature(function).parameters)
    code: types.CodeType = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
