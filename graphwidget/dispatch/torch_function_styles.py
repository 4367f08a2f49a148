"""The ways in which functions ask ``__torch_function__``.

* functions bound to C++ in PyTorch (``ask_parsed``) look at all arguments;
* methods and properties without further arguments (``ask_unparsed``) look at the tensor alone;
* functions that PyTorch writes in Python (``ask_python_written``) give required arguments by
  position, others by name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from ..graph import runtime
from ..graph.runtime import NOBODY
from .overriding import (
    PLAIN,
    any_override,
    as_class,
    disabled,
    dispatch,
    flatten_values,
    has_override,
    inherits_default,
    may_override,
    state,
)

Asking = Callable[[Any, Any], Any]
Manner = Callable[["TorchFunctionCall"], Asking]


class TorchFunctionCall:
    """How the calls of one function are given to those who override it.

    Args:
        manner: how it asks.
        title: the function's name in errors.
        section, name: those of PyTorch's parser, "" without one.
        operator: TypeErrors of those who are asked leave the call to the other operand.
    """

    function: Any
    """The function itself."""

    func: Any = None
    """The function as those who are asked know it."""

    def __init__(
        self, manner: Manner, title: str, section: str = "", name: str = "", operator: bool = False
    ) -> None:
        self.title, self.section, self.name, self.operator = title, section, name, operator
        self.bound = not isinstance(manner, partial) and manner is not ask_python_written
        self.ask = manner(self)

    @cached_property
    def signature(self) -> inspect.Signature:
        """Its parameters, found when it first asks: most functions never do."""
        return inspect.signature(self.function)

    def answer(self, asked: Sequence[Any], args: Any, kwargs: Any) -> Any:
        """Return what those who are asked make of a call."""
        try:
            cls = inherits_default(asked)
            if cls is not None:
                return as_class(cls, self.func, self.function, args, kwargs)
            return dispatch(self.title, self.func, asked, args, kwargs, self.bound)
        except TypeError:
            if self.operator:
                return NotImplemented
            raise


# The manners --------------------------------------------------------------------------------------
def ask_parsed(call: TorchFunctionCall) -> Asking:
    """A function that looks at all its arguments."""
    mode = runtime.mode

    def ask(args: Any, kwargs: Any) -> Any:
        if not kwargs:
            for value in args:
                if value.__class__ not in PLAIN:
                    break
            else:
                return NOBODY
        if state.off or mode.deriving:
            return NOBODY
        given = (*args, *kwargs.values()) if kwargs else args
        wanting = [each for each in flatten_values(given) if has_override(each)]
        if not wanting:
            return NOBODY
        if not call.bound and inherits_default(wanting) is None:
            wanting = [each for each in args if not _is_plain(each)]
        return call.answer(wanting, args, kwargs)

    return ask


def ask_unparsed(call: TorchFunctionCall) -> Asking:
    """A method or property that looks at its tensor."""
    mode = runtime.mode

    def ask(args: Any, kwargs: Any) -> Any:
        if not args or args[0].__class__ in PLAIN or mode.deriving or not may_override(args[0]):
            return NOBODY
        return call.answer(args[:1], args, kwargs)

    return ask


def ask_python_written(call: TorchFunctionCall, manner: str = "") -> Asking:
    """A function that is written in Python.

    Args:
        manner: ``alone`` asks the first argument only; ``named`` gives all by name.
    """
    mode = runtime.mode
    positional, named = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD

    def ask(args: Any, kwargs: Any) -> Any:
        values = args[:1] if manner == "alone" else (*args, *kwargs.values())
        if mode.deriving or not any_override(flatten_values(values)):
            return NOBODY
        wanting = [each for each in flatten_values(values) if has_override(each)]
        if inherits_default(wanting) is not None:
            return call.answer(wanting, args, kwargs)
        signature = call.signature
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return NOBODY  # which says so
        bound.apply_defaults()
        given: list[Any] = []
        spelled: dict[str, Any] = {}
        for name, each in signature.parameters.items():
            value = bound.arguments[name]
            if each.kind is positional:
                given += value
            elif each.kind is named:
                spelled.update(value)
            elif each.default is each.empty and manner != "named":
                given.append(value)
            else:
                spelled[name] = value
        able = (each for each in flatten_values(values) if not _is_plain(each))
        return call.answer([*able], tuple(given), spelled)

    return ask


def _is_plain(value: Any) -> bool:
    """Return whether a value has no say; tensors have one where another class is asked."""
    return getattr(type(value), "__torch_function__", disabled) is disabled


def ask_iter(call: TorchFunctionCall) -> Asking:
    """``iter(tensor)``, which is a call of two methods."""

    def ask(args: Any, kwargs: Any) -> Any:
        (tensor,) = args
        if not any_override(args):
            return NOBODY
        if tensor.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(tensor.unbind(0))

    return ask


def ask_eq(call: TorchFunctionCall) -> Asking:
    """``==``, which asks the other operand by another name."""
    mode = runtime.mode

    def ask(args: Any, kwargs: Any) -> Any:
        if mode.deriving or not any_override(args):
            return NOBODY
        if may_override(args[0]):
            return call.answer(args[:1], args, kwargs)
        try:
            return runtime.Tensor.eq(*args)
        except TypeError:
            return NotImplemented

    return ask
