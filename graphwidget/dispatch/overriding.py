"""``__torch_function__``: which arguments override a call, and results of subclasses of Tensor.

A public function asks here whether one of its arguments wants to be called instead of it. Plain
tensors and parameters never do. Until there is such a class nothing here costs anything.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..arrays import dtypes
from ..arrays.size import Size
from ..eager.promote import Absent, Constant
from ..graph import runtime
from ..graph.tensor import Tensor

FAILED = (
    "Multiple dispatch failed for '{}'; all __torch_function__ handlers returned NotImplemented:"
)
HINT = "For more information, try re-running with TORCH_LOGS=not_implemented"


class State(threading.local):
    """State of a thread: ``off`` while no class is asked."""

    def __init__(self) -> None:
        self.off = False


state = State()
runtime.thread_states.append(state)


class Disabled:
    """``__torch_function__`` of classes that are treated as plain tensors."""

    def __call__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return as_class(Tensor, func, func, args, kwargs or {})


disabled = Disabled()

PLAIN = {
    int, float, bool, complex, str, bytes, type(None), slice, type(Ellipsis), dict, set, frozenset,
    Size, dtypes.dtype, Tensor, Constant, Absent,
}  # fmt: skip
"""Types that are never asked; parameters join them."""


# Who is asked -----------------------------------------------------------------------------------
def has_override(value: Any) -> bool:
    """Return whether a value's class wants to be asked."""
    if value.__class__ in PLAIN:
        return False
    handler = getattr(value, "__torch_function__", None)
    return handler is not None and handler is not disabled


def may_override(value: Any) -> bool:
    """Return whether a value is asked, as things are now."""
    return not state.off and has_override(value)


def flatten_values(values: Iterable[Any]) -> Iterator[Any]:
    """Yield values, and those in lists and tuples among them."""
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from value
        else:
            yield value


def any_override(values: Iterable[Any]) -> bool:
    """Return whether one of the values wants to be asked."""
    return not state.off and any(map(has_override, values))


def overloaded_args(values: Iterable[Any]) -> list[Any]:
    """Return the first value of each class, in the order in which they are asked: from left to
    right, but classes before those that they are derived from."""
    found: list[Any] = []
    for value in values:
        if not any(type(each) is type(value) for each in found):
            later = (n for n, each in enumerate(found) if issubclass(type(value), type(each)))
            found.insert(next(later, len(found)), value)
    return found


# How they are asked -----------------------------------------------------------------------------
def dispatch(
    title: str, func: Any, asked: Sequence[Any], args: Any, kwargs: Any, bound: bool = False
) -> Any:
    """Return what the first value that has an answer makes of a call.

    Args:
        bound: whether PyTorch's function is written in C++, which has other words for an error.

    Raises:
        TypeError: none has one.
    """
    asked = overloaded_args(asked)
    types = tuple(map(type, asked))
    for value in asked:
        found = value.__torch_function__(func, types, args, kwargs)
        if found is not NotImplemented:
            return found
    if bound:
        refused = [f"  - tensor subclass {each!r}" for each in types]
        raise TypeError("\n".join([FAILED.format(title), "", *refused, "", HINT]))
    raise TypeError(
        f"no implementation found for '{title}' on types that implement __torch_function__: "
        f"{list(types)}"
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
    """Return the result of a function, which users know as ``func``, as a tensor of a class."""
    before, state.off = state.off, True
    try:
        found = function(*args, **kwargs)
        return found if func in UNCHANGED else as_subclass_results(found, cls)
    finally:
        state.off = before


def inherits_default(asked: Sequence[Any]) -> Any:
    """Return the class of those who are asked, if they have one and its answer is the inherited
    one."""
    cls = asked[0].__class__
    if getattr(cls.__torch_function__, "__func__", None) is not default_torch_function:
        return None
    return cls if all(each.__class__ is cls for each in asked) else None


def as_subclass_results(found: Any, cls: Any) -> Any:
    """Return a result with its plain tensors as tensors of a class."""
    if cls is runtime.Tensor:
        return found
    if isinstance(found, runtime.Tensor):
        return found if isinstance(found, cls) else found.as_subclass(cls)
    if isinstance(found, (tuple, list)):
        return type(found)(as_subclass_results(each, cls) for each in found)
    return found


# Tensor's part in it ----------------------------------------------------------------------------
def init_subclass(cls: type[Tensor], **kwargs: Any) -> None:
    """Note that a subclass of Tensor is defined: it wants to be asked, unless it says otherwise."""
    super(Tensor, cls).__init_subclass__(**kwargs)
    if cls.__torch_function__ is not disabled:  # type: ignore[attr-defined]
        runtime.enable_overrides()


Tensor.__torch_function__ = classmethod(default_torch_function)  # type: ignore[attr-defined]
Tensor.__init_subclass__ = classmethod(init_subclass)  # type: ignore[arg-type, assignment]
Constant.__torch_function__ = disabled  # type: ignore[attr-defined]
