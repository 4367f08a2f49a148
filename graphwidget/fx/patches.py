"""What is changed while a program is recorded: calls of modules, and the functions in `wrap`."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

from .node import map_aggregate
from .proxy import Proxy
from .wrapping import WRAPPED

_MISSING = object()


def find_proxy(*values: Any) -> Proxy | None:
    """A proxy somewhere in nests of values, the last one."""
    found: list[Proxy] = []
    map_aggregate(values, lambda each: found.append(each) if isinstance(each, Proxy) else None)
    return found[-1] if found else None


def recording(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose calls with proxies become nodes."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = find_proxy(args, kwargs)
        if proxy is None:
            return function(*args, **kwargs)
        result = proxy.tracer.create_proxy("call_function", function, args, kwargs)
        result.node.meta["is_wrapped"] = True
        return result

    wrapped._is_fx_patch = True  # type: ignore[attr-defined]
    return wrapped


class Patches:
    """Changes of modules and classes that end with the `with` block."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._seen: set[int] = set()

    def __enter__(self) -> Patches:
        return self

    def __exit__(self, *exc: object) -> None:
        while self._undo:
            self._undo.pop()()

    def method(self, cls: type[Any], name: str, function: Callable[..., Any]) -> None:
        """Give a class another method."""
        before = vars(cls).get(name, _MISSING)
        setattr(cls, name, function)
        if before is _MISSING:
            self._undo.append(lambda: delattr(cls, name))
        else:
            self._undo.append(lambda: setattr(cls, name, before))

    def function(self, names: dict[str, Any], name: str) -> None:
        """Let calls of a module's function become nodes."""
        before = names.get(name, _MISSING)
        function = getattr(builtins, name) if before is _MISSING else before
        if getattr(function, "_is_fx_patch", False):
            return
        names[name] = recording(function)
        if before is _MISSING:
            self._undo.append(lambda: names.pop(name))
        else:
            self._undo.append(lambda: names.__setitem__(name, before))

    def wrapped(self) -> None:
        """The same for all functions that programs gave to `wrap`."""
        for (_, name), names in WRAPPED.copy().items():
            self.function(names, name)

    def among(self, names: dict[str, Any], functions: set[int]) -> None:
        """The same for those of a module that are among some, by their ids."""
        if id(names) not in self._seen:
            self._seen.add(id(names))
            for name, value in list(names.items()):
                if not name.startswith("_") and callable(value) and id(value) in functions:
                    self.function(names, name)
