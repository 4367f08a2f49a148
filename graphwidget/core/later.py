"""Functions whose source is compiled when they are first called.

There are hundreds of generated functions, of which a program calls a few: to compile all of them
would take longer than the rest of the import.
"""

from __future__ import annotations

import threading
import types
from typing import Any

_WRITING = threading.RLock()


def _pending(*args: Any, **kwargs: Any) -> Any:
    """What a function does until it is compiled."""
    return write()(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821  (in its globals)


def later(name: str, source: str, scope: dict[str, Any]) -> types.FunctionType:
    """The function of this name that ``source`` defines, with ``scope`` as its globals."""
    function = types.FunctionType(_pending.__code__, scope, name)
    function.__qualname__ = name  # by which Python's own errors call it
    function.__qualname__ = name

    def write() -> types.FunctionType:
        with _WRITING:
            if function.__code__ is _pending.__code__:
                found: dict[str, Any] = {}
                exec(compile(source, f"<graphwidget {name}>", "exec"), scope, found)
                made = found[name]
                function.__defaults__, function.__kwdefaults__ = (
                    made.__defaults__, made.__kwdefaults__
                )  # fmt: skip
                function.__code__ = made.__code__
        return function

    scope |= {"write": write, name: function}
    return function


def settled(function: types.FunctionType) -> types.FunctionType:
    """The function, compiled if it was not."""
    if function.__code__ is _pending.__code__:
        function.__globals__["write"]()
    return function


def first_names(function: types.FunctionType) -> tuple[str, ...] | None:
    """Names among which are all parameters of a function, the first one first, at a glance
    (``inspect.signature`` takes long); None where only that tells them."""
    told = vars(function)
    if "__signature__" in told:
        return tuple(told["__signature__"].parameters)
    if "__wrapped__" in told or function.__code__ is _pending.__code__:
        return None
    return function.__code__.co_varnames
