"""``__torch_function__``: arguments that override a call, and results of subclasses of Tensor.

Every public function, method and property begins with a line that looks at one global,
``runtime.overridden``. It is set when the first class or object with ``__torch_function__``
appears. Plain tensors and parameters are never asked.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..arrays import dtypes
from ..arrays.size import Size
from ..eager.promote import Absent, Constant
from ..graph import runtime
from ..graph.runtime import NOT_OVERRIDDEN
from ..graph.tensor import Tensor


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
CALLED = {
    **{f"__{side}{name}__": name for name in ("add", "mul") for side in ("", "r")},
    "__sub__": "sub", "__truediv__": "div", "__mod__": "remainder", "__matmul__": "matmul",
    **{f"__{name}__": name for name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "abs", "pow")},
    "__pos__": "positive", "__ipow__": "pow_",
    **{f"__r{name}__": f"bitwise_{name}" for name in ("and", "or", "xor")},
    **{f"__i{name}__": f"{name}_" for name in ("add", "sub", "mul")},
    "__itruediv__": "div_", "__imod__": "remainder_", "__ifloordiv__": "floor_divide_",
}  # fmt: skip
"""The methods that operators are to those who are asked; the others are themselves."""

KNOWN_AS: dict[Any, Any] = {}
"""Functions that have another name for those who are asked: operators, and parts of properties."""


def enable_overrides() -> None:
    """Let public functions ask for overrides from now on."""
    with runtime.lock:
        members = dict(vars(runtime.Tensor))
        for name, member in members.items():
            if isinstance(member, property):
                for part, access in (("fget", "get"), ("fset", "set"), ("fdel", "delete")):
                    KNOWN_AS[getattr(member, part)] = getattr(member, f"__{access}__")
            elif inspect.isfunction(member) and name.startswith("__"):
                member.__name__ = name
                KNOWN_AS[member] = members[CALLED.get(name, name)]
        runtime.overridden = True


def ask(function: Any, args: Any, kwargs: Any) -> Any:
    """Return the result of an override of a call; ``NOT_OVERRIDDEN`` where there is none."""
    if state.off or runtime.mode.deriving:
        return NOT_OVERRIDDEN
    asked = [each for each in flatten_values((*args, *kwargs.values())) if has_override(each)]
    if not asked:
        return NOT_OVERRIDDEN
    func = KNOWN_AS.get(function, function)
    cls = inherits_default(asked)
    if cls is not None:
        return as_class(cls, func, function, args, kwargs)
    return dispatch(function.__name__, func, asked, args, kwargs)


def dispatch(title: str, func: Any, asked: Sequence[Any], args: Any, kwargs: Any) -> Any:
    """Return what the first value that has an answer makes of a call.

    Raises:
        TypeError: none has one.
    """
    asked = overloaded_args(asked)
    types = tuple(map(type, asked))
    for value in asked:
        found = value.__torch_function__(func, types, args, kwargs)
        if found is not NotImplemented:
            return found
    if title in OPERATORS:
        return NotImplemented
    raise TypeError(
        f"no implementation found for '{title}' on types that implement __torch_function__: "
        f"{list(types)}"
    )


OPERATORS = {
    f"__{side}{name}__"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or",
                 "xor", "lshift", "rshift")
    for side in ("", "r", "i")
} | {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}  # fmt: skip


def has_undeclared_override(values: Iterable[Any]) -> bool:
    """Return whether a call failed because an object that is no tensor was not asked.

    A subclass of Tensor makes itself known when it is defined. An object with
    ``__torch_function__`` is not known before a function fails because of it; then overrides are
    enabled, and the function is called once more.
    """
    if runtime.overridden or not any(map(has_override, flatten_values(values))):
        return False
    enable_overrides()
    return True


def not_implemented(name: str, *operands: Any) -> Any:
    """Return the result of an operator whose operands it does not know."""
    if has_undeclared_override(operands):
        return getattr(runtime.Tensor, name)(*operands)
    return NotImplemented


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
        enable_overrides()


Tensor.__torch_function__ = classmethod(default_torch_function)  # type: ignore[attr-defined]
Tensor.__init_subclass__ = classmethod(init_subclass)  # type: ignore[arg-type, assignment]
Constant.__torch_function__ = disabled  # type: ignore[attr-defined]

UNASKED = {"__hash__", "__iter__", "__new__", "__init__", "__init_subclass__", "as_subclass", "new"}
"""Methods that ask for no overrides."""

PRIVATE = {"_is_view", "_version", "_base", "_backward_hooks"}
"""Tensor's private members that PyTorch has, too."""


def is_overridable(name: str) -> bool:
    """Return whether a member of Tensor asks."""
    dunder = name.startswith("__") and name.endswith("__")
    member = vars(runtime.Tensor)[name]
    own = not name.startswith("_") or dunder or name in PRIVATE
    return (
        own and name not in UNASKED and (inspect.isfunction(member) or isinstance(member, property))
    )
