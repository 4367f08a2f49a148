"""Changes while a program is recorded: of modules' calls, of functions, of parameters."""

from __future__ import annotations

import builtins
import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..absent import not_here
from ..arrays.warnings import warn
from ..graph.tensor import Tensor
from .names import is_from_torch
from .node import map_aggregate
from .proxy import BASE_TYPES, Proxy, TracerBase
from .wrapping import WRAPPED, _assert, _assert_is_none

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
        """Patch all functions that programs gave to `wrap`."""
        for (_, name), names in WRAPPED.copy().items():
            self.function(names, name)

    def among(self, names: dict[str, Any], functions: set[int]) -> None:
        """Like ``wrapped``, for those of a module that are among some, by their ids."""
        if id(names) not in self._seen:
            self._seen.add(id(names))
            for name, value in list(names.items()):
                if not name.startswith("_") and callable(value) and id(value) in functions:
                    self.function(names, name)


# What a traced function gets for its parameters --------------------------------------------------

VARIABLE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def placeholder(tracer: TracerBase, name: str, known: Any, function: Any) -> Any:
    """Argument of a traced function for a parameter: a proxy, or the value where it is ``known``,
    which the graph checks.

    Raises:
        NotImplementedError: a nest of values.
    """
    parameter = None if name[0] == "*" else inspect.signature(function).parameters[name]
    given = parameter is not None and parameter.default is not parameter.empty
    default = (parameter.default,) if given and parameter is not None else ()
    if known is None or name not in known:
        kind = declared_types(function).get(name)
        return tracer.create_proxy("placeholder", name, default, {}, type_expr=kind)
    value = known[name]
    if isinstance(value, (tuple, list, dict)):
        raise NotImplementedError(not_here("a nest in torch.fx's concrete_args"))
    proxy = tracer.create_proxy("placeholder", f"{name}_1", default, {})
    assert_is(tracer, proxy, name, value)
    return value


def assert_is(tracer: TracerBase, proxy: Proxy, name: str, value: Any) -> None:
    """Let the graph check that an argument is what it was recorded for."""
    if type(value) in BASE_TYPES and type(value) is not Tensor:
        _assert(
            proxy == value,
            f"{name} has been specialized to have value {value} but got another value",
        )
    elif value is None:
        args = proxy, f"{name} has been specialized to have value None but got another value"
        tracer.create_proxy("call_function", _assert_is_none, args, {})
    else:
        warn(
            f"Was not able to add assertion to guarantee correct input {name} to "
            "specialized function. It is up to the user to make sure that your inputs match "
            "the inputs you specialized the function with."
        )


def declared_types(function: Any) -> dict[str, Any]:
    """The types of a function's parameters and result, as its program spells them; of this
    package's own functions only those that say something."""
    function = inspect.unwrap(function)
    if not is_from_torch(function):
        return inspect.get_annotations(function)
    found = inspect.get_annotations(function, eval_str=True)
    return {name: kind for name, kind in found.items() if kind is not Any}


def all_by_position(function: Any, count: int) -> Any:
    """A function that takes its starred parameters as plain ones, so that a proxy can stand for all
    arguments that they collect."""
    code = function.__code__
    code = code.replace(
        co_argcount=count,
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
        co_flags=code.co_flags & ~VARIABLE,
    )
    return FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
