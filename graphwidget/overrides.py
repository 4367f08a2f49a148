"""`torch.overrides`: for libraries that take part in `__torch_function__`, and modes.

`torch.utils._python_dispatch`, which is about the calls below these, is not here.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .absent import refuse_others
from .arrays.warnings import warn
from .dispatch.offer import FUNCTIONS, SPACES
from .dispatch.signatures import signatures
from .dispatch.torch_function import FUNCTIONAL, PLACES, enable_overrides, is_overridable
from .dispatch.torch_function_modes import (
    UNCHANGED,
    any_override,
    call_skipping_override,
    dispatch_from_python,
    enter_mode,
    has_override,
    leave_mode,
    overloaded_args,
    state,
)
from .graph.tensor import Tensor
from .nn import functional, init

__all__ = [
    "enable_reentrant_dispatch",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "redispatch_function",
    "resolve_name",
    "wrap_torch_function",
]  # fmt: skip


# Asking -------------------------------------------------------------------------------------------
def has_torch_function(relevant_args: Iterable[Any], /) -> bool:
    """Whether one of the arguments, or a mode that is on, wants to be asked.

    Raises:
        TypeError: no sequence is given.
    """
    if not isinstance(relevant_args, Iterable):
        raise TypeError("expected a sequence")
    return any_override(relevant_args)


def has_torch_function_unary(obj: Any, /) -> bool:
    """The same of one argument."""
    return any_override((obj,))


def has_torch_function_variadic(*args: Any) -> bool:
    """The same of several."""
    return any_override(args)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], /, *args: Any, **kwargs: Any
) -> Any:
    """What those among the relevant arguments who want to be asked make of a call.

    Args:
        public_api: the function that they are told was called, with ``args`` and ``kwargs``.

    Raises:
        TypeError: none has an answer.
    """
    module = str(public_api.__module__).replace(str(__package__), "torch", 1)
    title = f"{module}.{public_api.__name__}"
    return dispatch_from_python(title, public_api, relevant_args, args, kwargs)


def wrap_torch_function(
    dispatcher: Callable[..., Iterable[Any]],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function of the user's own ask first.

    Args:
        dispatcher: takes what the function takes, and gives the arguments who are asked.
    """

    def inner(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return inner


def redispatch_function(func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
    """Call a function and ask nobody of this call, but of those that it makes itself."""
    return call_skipping_override(func, args, kwargs)


def _get_overloaded_args(
    relevant_args: Iterable[Any], get_type_fn: Callable[[Any], type] = type
) -> list[Any]:
    """Those among the arguments who are asked, in order."""
    if state.off:
        return []
    able = [
        each for each in relevant_args
        if hasattr(get_type_fn(each), "__torch_function__")
        and (has_override(each) or type(each) is Tensor)
    ]  # fmt: skip
    return overloaded_args(able, get_type_fn)


def is_tensor_like(inp: Any) -> bool:
    """Whether an object is a tensor, or has ``__torch_function__``."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


# Modes --------------------------------------------------------------------------------------------
class TorchFunctionMode:
    """While it is entered, its ``__torch_function__(func, types, args, kwargs)`` is called in place
    of every function of the package. What that calls goes to the next mode around it."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """What becomes of a call."""
        raise NotImplementedError

    def __enter__(self) -> Any:
        enter_mode(self)
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        leave_mode()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """The former way to make one."""
        warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`")
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """The function's own result."""
        return func(*args, **(kwargs or {}))


def _get_current_function_mode() -> Any:
    """The innermost mode, None without one."""
    return state.modes[-1] if state.modes else None


def _get_current_function_mode_stack() -> list[Any]:
    """The modes that are on, the innermost last."""
    return list(state.modes)


@contextmanager
def _pop_mode_temporarily() -> Iterator[Any]:
    """Without the innermost mode."""
    mode = leave_mode()
    try:
        yield mode
    finally:
        enter_mode(mode)


@contextmanager
def _enable_torch_function() -> Iterator[None]:
    """Everybody is asked inside, whatever was switched off."""
    before, state.off = state.off, 0
    try:
        yield
    finally:
        state.off = before


@contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """Changes nothing here: there is no dispatch below these functions."""
    yield


# Which functions ask ------------------------------------------------------------------------------
def _namespaces() -> list[tuple[str, Any, dict[str, Any]]]:
    """What PyTorch's namespaces are called, whose key they have in the lists below, and what is in
    them."""
    top = importlib.import_module(str(__package__))
    layers = {name: vars(functional)[name] for name in functional.__all__}
    return [
        ("torch", top, FUNCTIONS),
        ("torch.functional", top, {name: FUNCTIONS[name] for name in FUNCTIONAL}),
        ("torch.nn.functional", functional, layers),
        ("torch.nn.init", init, vars(init)),
        ("torch.Tensor", Tensor, dict(vars(Tensor))),
        ("torch.linalg", importlib.import_module(".linalg", __package__), SPACES["linalg"]),
        ("torch.special", importlib.import_module(".special", __package__), SPACES["special"]),
    ]


@functools.cache
def _index() -> tuple[dict[Any, list[Any]], dict[Any, str]]:
    """The functions that ask, by namespace, and the names of all."""
    enable_overrides()
    asked = {function for place in PLACES for function, _ in place()}
    lists: dict[Any, list[Any]] = defaultdict(list)
    names: dict[Any, str] = {}
    for title, key, members in _namespaces():
        for name, member in members.items():
            if isinstance(member, property):
                names[member.__get__] = f"{title}.{name}.__get__"
                names[member.__set__] = f"{title}.{name}.__set__"
                if is_overridable(name):
                    lists[member].append(member.__get__)
            elif inspect.isfunction(member):
                names[member] = f"{title}.{name}"
                ours = member in asked and _takes_tensors(title, name)
                if is_overridable(name) if key is Tensor else ours:
                    lists[key].append(member)
    return dict(lists), names


def _takes_tensors(title: str, name: str) -> bool:
    """Whether a function has an argument who may be asked; of others only modes are. Those written
    in place are no public functions to PyTorch."""
    section = title.rpartition(".")[2]
    known = signatures(section, f"{section}_{name}".removeprefix("torch_"))
    types = {
        each.type for signature in known for each in signature.parameters if each.name != "out"
    }
    return not name.endswith("_") and (not known or any("Tensor" in each for each in types))


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions that ask, by the namespace, class or property that they belong to."""
    return _index()[0]


def resolve_name(f: Any) -> str | None:
    """The dotted name of a function of the package, None of others."""
    return _index()[1].get(f)


def get_ignored_functions() -> set[Callable[..., Any]]:
    """The functions of the package that ask no arguments."""
    asking = {each for several in get_overridable_functions().values() for each in several}
    top = vars(importlib.import_module(str(__package__)))
    ignored: set[Callable[..., Any]] = {each for each in top.values() if inspect.isfunction(each)}
    return ignored - asking


def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """For each function that asks one that takes the same arguments and gives -1."""
    return {
        each: _dummy(each) for several in get_overridable_functions().values() for each in several
    }


def _dummy(function: Any) -> Callable[..., Any]:
    def dummy(*args: Any, **kwargs: Any) -> int:
        return -1

    if inspect.isfunction(function):
        dummy.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return dummy


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """Functions whose results subclasses leave as they are."""
    return UNCHANGED


def is_tensor_method_or_property(func: Any) -> bool:
    """Whether a function is a method of Tensor, or the getter of a property."""
    return func in get_overridable_functions()[Tensor] or func.__name__ == "__get__"


refuse_others(__name__)
