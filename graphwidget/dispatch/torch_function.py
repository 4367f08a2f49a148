"""Registers how each public function asks ``__torch_function__``.

Every public function, method and property begins with a line that looks at one global,
``runtime.overridden``. It is set when the first class, mode or object with ``__torch_function__``
appears (``enable_overrides``); then it is written down for each function how its calls are told to
those who override them (``TorchFunctionCall``).
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ..graph import runtime
from ..graph.runtime import NOBODY
from .signatures import signatures
from .torch_function_styles import (
    Manner,
    TorchFunctionCall,
    ask_eq,
    ask_iter,
    ask_parsed,
    ask_python_written,
    ask_unparsed,
)

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
         "split", "unique", "norm", "__array__",
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

PARTICULAR = {"__iter__": ask_iter, "__eq__": ask_eq}

NAMES = {"__rtruediv__": "__rdiv__", "__pow__": "pow", "__ipow__": "pow_"}
"""What some operators call themselves."""

FUNCTIONAL = {
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "cartesian_prod",
    "cdist", "einsum", "meshgrid", "norm", "split", "tensordot",
    "unique", "unravel_index",
}  # fmt: skip
"""Functions of the package that PyTorch writes in Python."""

UNASKED = {"__hash__", "__new__", "__init__", "__init_subclass__", "as_subclass", "new"}
"""Methods that ask nobody."""

PRIVATE = {"_is_view", "_version", "_base", "_backward_hooks"}
"""Those of Tensor's private members that PyTorch has, too."""


Place = Callable[[], Iterable[tuple[Any, TorchFunctionCall]]]
"""What gives the functions of a namespace, each with how its calls are told."""

PLACES: list[Place] = []
OVERRIDES: dict[Any, TorchFunctionCall] = {}
"""How calls are told, of each function that asks, once somebody wants to be asked."""


def enable_overrides() -> None:
    """Register all public functions, because somebody wants to be asked."""
    with runtime.lock:
        if not runtime.overridden:
            register_places()
            for name in list(vars(runtime.Tensor)):
                register_member(name)
            runtime.overridden = True


def register_places() -> None:
    """Register the functions of all namespaces that are loaded."""
    for place in PLACES:
        for function, call in place():
            register_call(function, call)


def add_places(*places: Place) -> None:
    """Add the functions of a namespace that loads late: after somebody asked, maybe."""
    with runtime.lock:
        PLACES.extend(places)
        if runtime.overridden:
            register_places()


def ask(function: Any, args: Any, kwargs: Any) -> Any:
    """What those who override a function make of a call of it; ``NOBODY`` where nobody does."""
    call = OVERRIDES.get(function)
    return NOBODY if call is None else call.ask(args, kwargs)


def register_call(function: Any, call: TorchFunctionCall) -> None:
    """Register how calls of a function are told."""
    if inspect.isfunction(function) and function not in OVERRIDES:
        call.func, call.function = call.func or function, function
        OVERRIDES[function] = call


def bound_call(section: str, name: str) -> TorchFunctionCall:
    """For a function that PyTorch's parser knows by this section and name."""
    return TorchFunctionCall(
        ask_parsed, f"torch.{section}.{name}".replace("torch.torch", "torch"), section, name
    )


def method_call(name: str) -> TorchFunctionCall:
    """For a function that calls a method: ``__torch_function__`` is told of the method."""
    call = TorchFunctionCall(ask_unparsed, f"torch.Tensor.{name}")
    call.func = vars(runtime.Tensor)[name]
    return call


def functions_of(names: dict[str, Any], section: str, prefix: str = "") -> Place:
    """The functions of a namespace that are bound to C++."""
    return lambda: [
        (function, bound_call(section, prefix + name))
        for name, function in names.items()
        if signatures(section, prefix + name)
    ]


def written_in(title: str, names: dict[str, Any], known: Iterable[str], manner: str = "") -> Place:
    """The functions of a namespace that PyTorch writes in Python."""
    how = partial(ask_python_written, manner=manner)
    return lambda: [(names[name], TorchFunctionCall(how, f"{title}.{name}")) for name in known]


# Tensor's own -------------------------------------------------------------------------------------
def is_overridable(name: str) -> bool:
    """Whether a member of Tensor asks."""
    dunder = name.startswith("__") and name.endswith("__")
    member = vars(runtime.Tensor)[name]
    own = not name.startswith("_") or dunder or name in PRIVATE
    return (
        own and name not in UNASKED and (inspect.isfunction(member) or isinstance(member, property))
    )


def register_member(name: str) -> None:
    """The same of a method or property of Tensor."""
    member = vars(runtime.Tensor)[name]
    if not is_overridable(name):
        return
    if isinstance(member, property):
        setter: Any = member.fset
        refused = setter is member.fdel  # there is nothing to set
        for part, access in (("fget", "get"), ("fset", "set"), ("fdel", "delete"))[
            : 3 - 2 * refused
        ]:
            call = TorchFunctionCall(ask_unparsed, f"torch.Tensor.{name}.__{access}__")
            call.func = getattr(member, f"__{access}__")
            call.section, call.name = "Tensor", name
            register_call(getattr(member, part), call)
    else:
        register_method(name, member)


def register_method(name: str, method: types.FunctionType) -> None:
    """The same of a method."""
    called = CALLED.get(name, name)
    known = signatures("Tensor", called)
    section, operator = "Tensor" * bool(known), name in OPERATORS
    title = f"torch.Tensor.{called}"
    if called in WRITTEN:
        how: Manner = (
            partial(ask_parsed) if operator else partial(ask_python_written, manner=WRITTEN[called])
        )
        call = TorchFunctionCall(how, f"torch._tensor.{called}", operator=operator)
    elif name in PARTICULAR:
        call = TorchFunctionCall(PARTICULAR[name], title, operator=operator)
    elif called in UNPARSED or any(each.parameters for each in known):
        call = TorchFunctionCall(ask_parsed, title, section, called, operator)
    else:
        call = TorchFunctionCall(ask_unparsed, title, section, called, operator)
    register_call(method, call)
    method.__name__ = NAMES.get(name, name)
    if called != name:
        call.func = vars(runtime.Tensor)[called]
