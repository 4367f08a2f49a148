"""``__torch_function__``: which arguments override a call, in which order, and modes.

A public function asks here whether one of its arguments, or a mode that is on, wants to be called
instead of it. Plain tensors and parameters never do. Until there is somebody to ask nothing here
costs anything.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..arrays import dtypes
from ..arrays.size import Size
from ..arrays.warnings import warn, warn_once
from ..eager.constant_absent import Absent, Constant
from ..graph import runtime
from ..graph.tensor import Tensor

PLAIN_METHOD = (
    "Defining your `__torch_function__{} as a plain method is deprecated and will be an error in "
    "future, please define it as a classmethod."
)
FAILED = (
    "Multiple dispatch failed for '{}'; all __torch_function__ handlers returned NotImplemented:"
)
HINT = "For more information, try re-running with TORCH_LOGS=not_implemented"


# Who is asked -----------------------------------------------------------------------------------
class State(threading.local):
    """Whom a thread asks: ``modes`` are those that are on, the innermost last; ``off`` says that
    no class is asked (1), or no mode either (2); ``skip`` that nobody is asked of the next call."""

    def __init__(self) -> None:
        self.modes: list[Any] = []
        self.off = 0
        self.skip = False


state = State()
runtime.thread_states.append(state)

ENTERED: list[None] = []
"""An item for each mode that is on in any thread: without any, nobody looks for a thread's."""


class Disabled:
    """What a class has for ``__torch_function__`` that wants to be treated as a plain tensor."""

    __name__ = "_disabled_torch_function_impl"

    def __call__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        with OverridesOff(2):
            return func(*args, **(kwargs or {}))

    def __repr__(self) -> str:
        return f"<built-in function {self.__name__}>"

    def __reduce__(self) -> str:
        return "disabled"


disabled = Disabled()


class OverridesOff:
    """While this is entered no class is asked (1), or nobody at all (2)."""

    def __init__(self, off: int) -> None:
        self.off = off
        self.before: list[int] = []

    def __enter__(self) -> None:
        self.before.append(state.off)
        state.off = max(state.off, self.off)

    def __exit__(self, *exc: object) -> None:
        state.off = self.before.pop()


PLAIN = {
    int, float, bool, complex, str, bytes, type(None), slice, type(Ellipsis), dict, set, frozenset,
    Size, dtypes.dtype, Tensor, Constant, Absent,
}  # fmt: skip
"""Types that are never asked; parameters join them."""


def has_override(value: Any) -> bool:
    """Whether a value's class wants to be asked."""
    if value.__class__ in PLAIN:
        return False
    handler = getattr(value, "__torch_function__", None)
    return handler is not None and handler is not disabled


def may_override(value: Any) -> bool:
    """Whether a value is asked, as things are now."""
    return not state.off and has_override(value)


def flatten_values(values: Iterable[Any]) -> Iterator[Any]:
    """Values, and those in lists and tuples among them."""
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from value
        else:
            yield value


def any_override(values: Iterable[Any]) -> bool:
    """Whether a mode or one of the values wants to be asked."""
    if state.off == 2 or not (state.modes or (not state.off and any(map(has_override, values)))):
        return False
    return not consume_skip()


def consume_skip() -> bool:
    """Whether nobody is asked of this one call."""
    skip, state.skip = state.skip, False
    return skip


def call_skipping_override(func: Any, args: Any, kwargs: Any) -> Any:
    """The result of a function of whose own call nobody is asked, but of those within it."""
    state.skip = True
    try:
        return func(*args, **(kwargs or {}))
    finally:
        state.skip = False


def enter_mode(mode: Any) -> None:
    """Put a mode on."""
    runtime.enable_overrides()
    ENTERED.append(None)
    state.modes.append(mode)


def leave_mode() -> Any:
    """Take the innermost mode off."""
    ENTERED.pop()
    return state.modes.pop()


def overloaded_args(values: Iterable[Any], kind: Callable[[Any], type] = type) -> list[Any]:
    """The first value of each class, in the order in which they are asked: from left to right,
    but classes before those that they are derived from."""
    types: list[type] = []
    found: list[Any] = []
    for value in values:
        cls = kind(value)
        if cls in types:
            continue
        place = next((i for i, other in enumerate(types) if issubclass(cls, other)), len(types))
        types.insert(place, cls)
        found.insert(place, value)
    return found


# How they are asked -----------------------------------------------------------------------------
def ask_mode(func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """What the innermost mode makes of a call; meanwhile it is off. None without a mode."""
    if not state.modes or state.off == 2:
        return None
    mode = state.modes.pop()
    try:
        return mode, mode.__torch_function__(func, types, args, kwargs)
    finally:
        state.modes.append(mode)


def is_plain_method(handler: Any, value: Any) -> bool:
    """Whether a handler belongs to an instance and not to its class."""
    return getattr(handler, "__self__", None) is value and handler is not disabled


def dispatch(title: str, func: Any, asked: Sequence[Any], args: Any, kwargs: Any) -> Any:
    """What the mode or the first value that has an answer makes of a call: as PyTorch's functions
    in C++ ask.

    Raises:
        TypeError: none has one.
    """
    types = tuple(map(type, asked))
    refused = []
    answered = ask_mode(func, types, args, kwargs)
    if answered is not None:
        if answered[1] is not NotImplemented:
            return answered[1]
        refused.append(f"  - mode object {answered[0]!r}")
    for value in asked:
        handler = value.__torch_function__
        if is_plain_method(handler, value):
            warn_once(PLAIN_METHOD.format("`"))
        found = handler(func, types, args, kwargs)
        if found is not NotImplemented:
            return found
        refused.append(f"  - tensor subclass {type(value)!r}")
    raise TypeError("\n".join([FAILED.format(title), "", *refused, "", HINT]))


def dispatch_from_python(
    title: str, func: Any, relevant: Iterable[Any], args: Any, kwargs: Any
) -> Any:
    """The same as PyTorch's functions in Python ask: plain tensors have a say, too.

    Raises:
        TypeError: none has an answer.
    """
    asked = overloaded_args(
        each for each in relevant
        if getattr(type(each), "__torch_function__", disabled) is not disabled
    )  # fmt: skip
    types = tuple(map(type, asked))
    beyond = ""
    answered = ask_mode(func, types, args, kwargs)
    if answered is not None:
        if answered[1] is not NotImplemented:
            return answered[1]
        beyond = f" nor in mode {answered[0]!r}"
    for value in asked:
        handler = value.__torch_function__
        if is_plain_method(handler, value):
            warn(PLAIN_METHOD.format(""), DeprecationWarning)
        found = handler(func, types, args, kwargs)
        if found is not NotImplemented:
            return found
    raise TypeError(
        f"no implementation found for '{title}' on types that implement __torch_function__: "
        f"{list(types)}{beyond}"
    )


# What tensors answer ----------------------------------------------------------------------------
UNCHANGED: set[Any] = set()
"""Functions whose results stay of the class that they have."""


def default_torch_function(
    cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None
) -> Any:
    """The ``__torch_function__`` that subclasses of Tensor inherit: the function's result, as a
    tensor of the class."""
    if not all(issubclass(cls, each) for each in types):
        return NotImplemented
    return as_class(cls, func, func, args, kwargs or {})


def as_class(cls: Any, func: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """The result of a function, which users know as ``func``, as a tensor of a class."""
    before, state.off = state.off, state.off or 1
    try:
        found = function(*args, **kwargs)
        return found if func in UNCHANGED else as_subclass_results(found, cls)
    finally:
        state.off = before


def inherits_default(asked: Sequence[Any]) -> Any:
    """The class of those who are asked, if they have one and its answer is the inherited one."""
    cls = asked[0].__class__
    if (
        state.modes
        or getattr(cls.__torch_function__, "__func__", None) is not default_torch_function
    ):
        return None
    return cls if all(each.__class__ is cls for each in asked) else None


def as_subclass_results(found: Any, cls: Any) -> Any:
    """Plain tensors in a result, as tensors of a class."""
    if cls is runtime.Tensor:
        return found
    if isinstance(found, runtime.Tensor):
        return found if isinstance(found, cls) else found.as_subclass(cls)
    if isinstance(found, (tuple, list)):
        return type(found)(as_subclass_results(each, cls) for each in found)
    return found


# Tensor's part in it ----------------------------------------------------------------------------
def init_subclass(cls: type[Tensor], **kwargs: Any) -> None:
    """A subclass of Tensor is defined: it wants to be asked, unless it says otherwise."""
    super(Tensor, cls).__init_subclass__(**kwargs)
    if cls.__torch_function__ is not disabled:  # type: ignore[attr-defined]
        runtime.enable_overrides()


Tensor.__torch_function__ = classmethod(default_torch_function)  # type: ignore[attr-defined]
Tensor.__init_subclass__ = classmethod(init_subclass)  # type: ignore[arg-type, assignment]
Constant.__torch_function__ = disabled  # type: ignore[attr-defined]
