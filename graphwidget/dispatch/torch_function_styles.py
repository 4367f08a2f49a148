"""The three ways in which PyTorch's functions ask ``__torch_function__``.


* functions bound to C++ (``ask_parsed``) look at all arguments, once the parser has accepted them;
* methods and properties without a parser (``ask_unparsed``) look at the tensor alone;
* functions written in Python (``ask_python_written``) tell required arguments by position, others
  by name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from ..graph import runtime
from ..graph.runtime import NOBODY
from .parser import MISSING, refusal
from .signatures import signatures
from .torch_function_modes import (
    ENTERED,
    PLAIN,
    any_override,
    as_class,
    consume_skip,
    dispatch,
    dispatch_from_python,
    flatten_values,
    has_override,
    inherits_default,
    may_override,
    overloaded_args,
    state,
)

Asking = Callable[[Any, Any], Any]
Manner = Callable[["TorchFunctionCall"], Asking]


class TorchFunctionCall:
    """How the calls of one function are told to those who override it.

    Args:
        manner: how it asks.
        title: the function's name in errors.
        section, name: those of PyTorch's parser, "" without one.
        operator: TypeErrors of those who are asked leave the call to the other operand.
    """

    function: Any
    """The function itself."""

    func: Any = None
    """What those who are asked are told the function is."""

    @cached_property
    def signature(self) -> inspect.Signature:
        """Its parameters, found when it first asks: most functions never do."""
        return inspect.signature(self.function)

    def __init__(
        self, manner: Manner, title: str, section: str = "", name: str = "", operator: bool = False
    ) -> None:
        self.title, self.section, self.name, self.operator = title, section, name, operator
        known = signatures(section, name) if section else ()
        self.untyped = any(each.type == "PyObject*" for one in known for each in one.parameters[:1])
        self.ask = manner(self)

    def check(self, args: Any, kwargs: Any) -> None:
        """What PyTorch's parser says of a call before anybody is asked.

        Raises:
            TypeError: it refuses the call.
        """
        if self.section:
            method = self.section == "Tensor"
            if method and not isinstance(args[0], runtime.Tensor):
                raise TypeError(
                    f"descriptor '{self.name}' for 'torch._C.TensorBase' objects doesn't apply to "
                    f"a '{type(args[0]).__name__}' object"
                )
            own = args[1:] if method else args
            wrong = refusal(self.section, self.name, own, kwargs)
            if wrong is not None:
                raise wrong

    def answer(self, asked: Sequence[Any], args: Any, kwargs: Any) -> Any:
        """What those who are asked make of a call."""
        try:
            cls = inherits_default(asked) if asked else None
            if cls is not None:
                return as_class(cls, self.func, self.function, args, kwargs)
            self.check(args, kwargs)
            return dispatch(self.title, self.func, overloaded_args(asked), args, kwargs or None)
        except TypeError:
            if self.operator:
                return NotImplemented
            raise

    def hand(self, relevant: Iterable[Any], args: Any, kwargs: Any) -> Any:
        """The same of a function that is written in Python."""
        try:
            return dispatch_from_python(self.title, self.func, relevant, args, kwargs)
        except TypeError:
            if self.operator:
                return NotImplemented
            raise


# The three manners --------------------------------------------------------------------------------
def ask_parsed(call: TorchFunctionCall) -> Asking:
    """A function bound to C++ that has a parser of arguments."""
    mode = runtime.mode

    def ask(args: Any, kwargs: Any) -> Any:
        if not (ENTERED or kwargs):
            for value in args:
                if value.__class__ not in PLAIN:
                    break
            else:
                return NOBODY
        wanting: list[Any] = []
        if not state.off:
            given = (*args, *kwargs.values()) if kwargs else args
            for value in args[: call.section == "Tensor"] if call.untyped else given:
                if value.__class__ not in PLAIN:
                    if isinstance(value, (tuple, list)):
                        wanting += [each for each in value if has_override(each)]
                    elif has_override(value):
                        wanting.append(value)
        if not (wanting or (state.modes and state.off < 2)) or mode.deriving or consume_skip():
            return NOBODY
        return call.answer(wanting, args, kwargs)

    return ask


def ask_unparsed(call: TorchFunctionCall) -> Asking:
    """A method or property that has none."""
    mode = runtime.mode

    def ask(args: Any, kwargs: Any) -> Any:
        if not args or (args[0].__class__ in PLAIN and not ENTERED) or mode.deriving:
            return NOBODY
        if not any_override(args[:1]):
            return NOBODY
        return call.answer(args[:1], args, kwargs)

    return ask


def ask_as_given(call: TorchFunctionCall) -> Asking:
    """An operator that is written in Python: it hands on what it was given."""
    mode = runtime.mode

    def ask(args: Any, kwargs: Any) -> Any:
        if mode.deriving or not any_override(args):
            return NOBODY
        return call.hand(args, args, kwargs)

    return ask


def ask_python_written(call: TorchFunctionCall, manner: str = "") -> Asking:
    """A function that is written in Python.

    Args:
        manner: ``alone`` asks the first argument only; ``named`` hands on all by name; ``roots``
            makes tuples of tensors and hands on no name that is outdated.
    """
    mode = runtime.mode
    positional, named = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD

    def ask(args: Any, kwargs: Any) -> Any:
        values = args[:1] if manner == "alone" else (*args, *kwargs.values())
        if mode.deriving or not any_override(flatten_values(values)):
            return NOBODY
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
            if manner == "roots" and name in ROOTS:
                value = ROOTS[name](value)
                if value is MISSING:
                    continue
            if each.kind is positional:
                given += value
            elif each.kind is named:
                spelled.update(value)
            elif each.default is each.empty and manner != "named":
                given.append(value)
            else:
                spelled[name] = value
        relevant = given[:1] if manner == "alone" else flatten_values((*given, *spelled.values()))
        return call.hand(relevant, tuple(given), spelled)

    return ask


def several(value: Any) -> Any:
    """Tensors as a tuple."""
    return value if value is None else tuple(flatten_values((value,)))


ROOTS: dict[str, Callable[[Any], Any]] = {
    "tensors": several, "outputs": several, "inputs": several, "grad_variables": lambda _: MISSING,
    "allow_unused": bool,
}  # fmt: skip
"""What runs of backward hand on for some of their arguments."""


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
        if may_override(args[0]) or (state.modes and not may_override(args[1])):
            return call.answer([each for each in args[:1] if may_override(each)], args, kwargs)
        try:
            return runtime.Tensor.eq(*args)
        except TypeError:
            return NotImplemented

    return ask
