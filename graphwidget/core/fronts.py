"""The fronts of public functions: where ``__torch_function__`` is asked first (see ``overrides``).

A front is set before a function, method or property when the first class, mode or object appears
that wants to be asked (``awaken``), and not before: a program without such pays nothing. What is
called remains the same object. There are three manners in which PyTorch asks:

* functions bound to C++ (``parsed``) look at all arguments, once their parser has accepted them;
* methods and properties without a parser (``bare``) look at the tensor alone;
* functions written in Python (``written``) hand on required arguments by position, others by name.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from . import hot
from .arguments import MISSING, refusal
from .compile import RECORDED
from .later import before, behind
from .overrides import (
    ENTERED,
    PLAIN,
    as_class,
    asked,
    asks,
    dispatch,
    flat,
    handle,
    has,
    inheriting,
    ordered,
    skipped,
    state,
)
from .signatures import signatures

Asking = Callable[[Any, Any], Any]
Manner = Callable[["Front"], Asking]


class Front:
    """What stands before a function.

    Args:
        manner: how it asks.
        title: the function's name in errors.
        section, name: those of PyTorch's parser, "" without one.
        operator: TypeErrors of those who are asked leave the call to the other operand.
    """

    inner: Any
    """What the function does."""

    func: Any = None
    """What those who are asked are told the function is."""

    signature: inspect.Signature

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
            if method and not isinstance(args[0], hot.Tensor):
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
            cls = inheriting(asked) if asked else None
            if cls is not None:
                return as_class(cls, self.func, self.inner, args, kwargs)
            self.check(args, kwargs)
            return dispatch(self.title, self.func, ordered(asked), args, kwargs or None)
        except TypeError:
            if self.operator:
                return NotImplemented
            raise

    def hand(self, relevant: Iterable[Any], args: Any, kwargs: Any) -> Any:
        """The same of a function that is written in Python."""
        try:
            return handle(self.title, self.func, relevant, args, kwargs)
        except TypeError:
            if self.operator:
                return NotImplemented
            raise


# The three manners --------------------------------------------------------------------------------
def parsed(front: Front) -> Asking:
    """A function bound to C++ that has a parser of arguments."""
    mode = hot.mode

    def ask(args: Any, kwargs: Any) -> Any:
        if not (ENTERED or kwargs):
            for value in args:
                if value.__class__ not in PLAIN:
                    break
            else:
                return front.inner(*args)
        wanting: list[Any] = []
        if not state.off:
            given = (*args, *kwargs.values()) if kwargs else args
            for value in args[: front.section == "Tensor"] if front.untyped else given:
                if value.__class__ not in PLAIN:
                    if isinstance(value, (tuple, list)):
                        wanting += [each for each in value if asks(each)]
                    elif asks(value):
                        wanting.append(value)
        if not (wanting or (state.modes and state.off < 2)) or mode.deriving or skipped():
            return front.inner(*args, **kwargs)
        return front.answer(wanting, args, kwargs)

    return ask


def bare(front: Front) -> Asking:
    """A method or property that has none."""
    mode = hot.mode

    def ask(args: Any, kwargs: Any) -> Any:
        if not args or (args[0].__class__ in PLAIN and not ENTERED) or mode.deriving:
            return front.inner(*args, **kwargs)
        if not has(args[:1]):
            return front.inner(*args, **kwargs)
        return front.answer(args[:1], args, kwargs)

    return ask


def verbatim(front: Front) -> Asking:
    """An operator that is written in Python: it hands on what it was given."""
    mode = hot.mode

    def ask(args: Any, kwargs: Any) -> Any:
        if mode.deriving or not has(args):
            return front.inner(*args, **kwargs)
        return front.hand(args, args, kwargs)

    return ask


def written(front: Front, manner: str = "") -> Asking:
    """A function that is written in Python.

    Args:
        manner: ``alone`` asks the first argument only; ``named`` hands on all by name; ``roots``
            makes tuples of tensors and hands on no name that is outdated.
    """
    mode = hot.mode
    positional, named = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD

    def ask(args: Any, kwargs: Any) -> Any:
        values = args[:1] if manner == "alone" else (*args, *kwargs.values())
        if mode.deriving or not has(flat(values)):
            return front.inner(*args, **kwargs)
        signature = front.signature
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return front.inner(*args, **kwargs)  # which says so
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
        relevant = given[:1] if manner == "alone" else flat((*given, *spelled.values()))
        return front.hand(relevant, tuple(given), spelled)

    return ask


def several(value: Any) -> Any:
    """Tensors as a tuple."""
    return value if value is None else tuple(flat((value,)))


ROOTS: dict[str, Callable[[Any], Any]] = {
    "tensors": several, "outputs": several, "inputs": several, "grad_variables": lambda _: MISSING,
    "allow_unused": bool,
}  # fmt: skip
"""What runs of backward hand on for some of their arguments."""


def iterating(front: Front) -> Asking:
    """``iter(tensor)``, which is a call of two methods."""

    def ask(args: Any, kwargs: Any) -> Any:
        (tensor,) = args
        if not has(args):
            return front.inner(tensor)
        if tensor.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(tensor.unbind(0))

    return ask


def comparing(front: Front) -> Asking:
    """``==``, which asks the other operand by another name."""
    mode = hot.mode

    def ask(args: Any, kwargs: Any) -> Any:
        if mode.deriving or not has(args):
            return front.inner(*args)
        if asked(args[0]) or (state.modes and not asked(args[1])):
            return front.answer([each for each in args[:1] if asked(each)], args, kwargs)
        try:
            return hot.Tensor.eq(*args)
        except TypeError:
            return NotImplemented

    return ask


# Where they stand ---------------------------------------------------------------------------------
OPERATORS = {
    f"__{side}{name}__"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or",
                 "xor", "lshift", "rshift")
    for side in ("", "r", "i")
} | {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}  # fmt: skip

CALLED = {
    **{f"__{side}{name}__": name for name in ("add", "mul") for side in ("", "r")},
    "__sub__": "sub", "__truediv__": "div", "__mod__": "remainder", "__matmul__": "matmul",
    **{f"__{name}__": name for name in ("ne", "lt", "le", "gt", "ge", "neg", "abs")},
    "__pos__": "positive",
    **{f"__r{name}__": f"bitwise_{name}" for name in ("and", "or", "xor")},
    **{f"__i{name}__": f"{name}_" for name in ("add", "sub", "mul")},
    "__itruediv__": "div_", "__imod__": "remainder_", "__ifloordiv__": "floor_divide_",
}  # fmt: skip
"""The methods that operators are to those who are asked; the others are themselves."""

WRITTEN = {
    **dict.fromkeys(
        ("backward", "register_hook", "register_post_accumulate_grad_hook", "__repr__",
         "__format__", "is_shared", "storage", "resize", "share_memory_", "storage_type",
         "dim_order", "split", "unique", "unique_consecutive", "norm", "lu", "__array__",
         "__array_wrap__", "__dlpack__", "__dlpack_device__", "__deepcopy__", "__reduce_ex__",
         "__reversed__", "__len__", "__contains__", "unflatten"), "alone",
    ),
    **dict.fromkeys(
        ("module_load", "resize_as", "__rsub__", "__rtruediv__", "__floordiv__", "__rfloordiv__",
         "__rmod__", "__pow__", "__rpow__", "__ipow__", "__rlshift__", "__rrshift__",
         "__rmatmul__"), "",
    ),
}  # fmt: skip
"""Methods that PyTorch writes in Python, and their manners."""

UNPARSED = {
    "__getitem__", "__setitem__",
    *(f"__{name}__" for name in ("and", "or", "xor", "lshift", "rshift")),
    *(f"__i{name}__" for name in ("and", "or", "xor", "lshift", "rshift")),
}  # fmt: skip
"""Those that look at all their arguments without a parser."""

PARTICULAR = {"__iter__": iterating, "__eq__": comparing}

NAMES = {"__rtruediv__": "__rdiv__", "__pow__": "pow", "__ipow__": "pow_"}
"""What some operators call themselves."""

FUNCTIONAL = {
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "cartesian_prod",
    "cdist", "chain_matmul", "einsum", "lobpcg", "lu", "meshgrid", "norm", "pca_lowrank", "split",
    "svd_lowrank", "tensordot", "unique", "unique_consecutive", "unravel_index",
}  # fmt: skip
"""Functions of the package that PyTorch writes in Python."""

UNASKED = {"__hash__", "__new__", "__init__", "__init_subclass__", "as_subclass", "new"}
"""Methods that ask nobody."""

PRIVATE = {"_is_view", "_version", "_base", "_backward_hooks"}
"""Those of Tensor's private members that PyTorch has, too."""


Place = Callable[[], Iterable[tuple[Any, Front]]]
"""What gives the functions of a namespace and the fronts that belong before them."""

PLACES: list[Place] = []
_inner: dict[Any, Any] = {}
"""What functions do that have fronts."""


def awaken() -> None:
    """Set fronts before all public functions, because somebody wants to be asked."""
    with hot.lock:
        if not _inner:
            for place in PLACES:
                for function, front in place():
                    set_before(function, front)
            for name in list(vars(hot.Tensor)):
                front_member(name)


def newcomer(values: Iterable[Any]) -> bool:
    """Whether a call failed because of an object that wants to be asked, and was not: there were no
    fronts before it came."""
    if _inner or not any(map(asks, flat(values))):
        return False
    awaken()
    return True


def set_before(function: Any, front: Front) -> None:
    """Set a front before a function, which stays the same object."""
    if inspect.isfunction(function) and function not in _inner:
        front.func = front.func or function
        front.signature = inspect.signature(function)
        front.inner = _inner[function] = behind(front.ask, function)


def bound(section: str, name: str) -> Front:
    """For a function that PyTorch's parser knows by this section and name."""
    return Front(parsed, f"torch.{section}.{name}".replace("torch.torch", "torch"), section, name)


def functions_of(names: dict[str, Any], section: str, prefix: str = "") -> Place:
    """The functions of a namespace that are bound to C++."""
    return lambda: [
        (function, bound(section, prefix + name))
        for name, function in names.items()
        if signatures(section, prefix + name)
    ]


def written_in(title: str, names: dict[str, Any], known: Iterable[str], manner: str = "") -> Place:
    """The functions of a namespace that PyTorch writes in Python."""
    how = partial(written, manner=manner)
    return lambda: [(names[name], Front(how, f"{title}.{name}")) for name in known]


# Tensor's own -------------------------------------------------------------------------------------
def asking(name: str) -> bool:
    """Whether a member of Tensor asks."""
    dunder = name.startswith("__") and name.endswith("__")
    member = vars(hot.Tensor)[name]
    own = not name.startswith("_") or dunder or name in PRIVATE
    return (
        own and name not in UNASKED and (inspect.isfunction(member) or isinstance(member, property))
    )


def front_member(name: str) -> None:
    """Set a front before a method or property of Tensor."""
    member = vars(hot.Tensor)[name]
    if not asking(name):
        return
    if isinstance(member, property):
        setter: Any = member.fset
        refused = setter is member.fdel  # there is nothing to set
        for part, access in (("fget", "get"), ("fset", "set"), ("fdel", "delete"))[
            : 3 - 2 * refused
        ]:
            front = Front(bare, f"torch.Tensor.{name}.__{access}__")
            front.func = getattr(member, f"__{access}__")
            front.section, front.name = "Tensor", name
            set_before(getattr(member, part), front)
    else:
        front_method(name, member)


def front_method(name: str, method: types.FunctionType) -> None:
    """The same before a method. What is an op's function within formulas, too, or another method,
    is left as it is, and a function of its own takes its place."""
    called = CALLED.get(name, name)
    known = signatures("Tensor", called)
    section, operator = "Tensor" * bool(known), name in OPERATORS
    title = f"torch.Tensor.{called}"
    if called in WRITTEN:
        how: Manner = verbatim if operator else partial(written, manner=WRITTEN[called])
        front = Front(how, f"torch._tensor.{called}", operator=operator)
        front.signature = inspect.signature(method)
    elif name in PARTICULAR:
        front = Front(PARTICULAR[name], title, operator=operator)
    elif called in UNPARSED or any(each.parameters for each in known):
        front = Front(parsed, title, section, called, operator)
    else:
        front = Front(bare, title, section, called, operator)
    if method in RECORDED or method in _inner:
        front.inner = _inner.get(method, method)
        method = before(front.ask, method)
        setattr(hot.Tensor, name, method)
        front.func = method
    else:
        set_before(method, front)
    method.__name__ = NAMES.get(name, name)
    if called != name:
        front.func = vars(hot.Tensor)[called]


hot.awaken = awaken
