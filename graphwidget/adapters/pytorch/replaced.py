"""Finds PyTorch's own function where the program has put another in its place.

A function of PyTorch's that is called under a mode gives the mode what its *name* stands for now.
After ``F.relu = mine`` that is ``mine``, which has just called the old ``relu``: called again by
the mode, it would run twice. The frame that asks the mode says which function really runs.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from functools import cache
from types import (
    BuiltinFunctionType,
    CodeType,
    FrameType,
    FunctionType,
    MethodDescriptorType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any

import torch
import torch.overrides

Function = Callable[..., Any]

COMPILED = frozenset(
    {BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, WrapperDescriptorType}
)
"""The types of functions that are not written in Python."""

ASKS = torch.overrides.handle_torch_function.__code__
"""Code that PyTorch's functions in Python call to ask the mode; those in C++ ask it directly."""

HOME = os.path.join(os.path.dirname(torch.__file__), "")

_originals: dict[int, tuple[CodeType, Function | None]] = {}
"""By the addresses of codes: the functions that have them."""


def original(func: Function, frame: FrameType) -> Function | None:
    """The function that ``frame`` asks the mode about, when it gives ``func``, which is written in
    Python or is any other callable object; None if it is not known."""
    if frame.f_code is not ASKS:
        return func if _is_own(func) else _method(func) or _function(func)
    caller = frame.f_back
    assert caller is not None
    code = caller.f_code
    if _is_own(func):
        same = func.__code__ is code or func.__name__.strip("_") == code.co_name.strip("_")
        if same:
            return func
    return _function_of(caller) or _function(func)


def accessor(func: Function) -> Function:
    """Return the accessor of an attribute of tensors: PyTorch's own if ``func`` is of a property
    that the program has put in its place."""
    if type(func) is MethodWrapperType and type(func.__self__) is property:
        return getattr(_method(func.__self__), func.__name__, func)
    return func


def _function(func: Any) -> Function | None:
    """The same, if it is a function: any other object may not even have a hash."""
    return func if type(func) is FunctionType else None


def _is_own(func: Any) -> bool:
    return type(func) is FunctionType and _is_in_torch(func.__code__.co_filename)


@cache
def _is_in_torch(filename: str) -> bool:
    return filename.startswith(HOME)


def _method(func: Any) -> Any:
    """The method or attribute of tensors, written in C++, in whose place ``func`` stands now."""
    for name, value in torch.Tensor.__dict__.items():
        if value is func:
            return getattr(torch._C.TensorBase, name, None)
    return None


def _function_of(caller: FrameType) -> Function | None:
    """The function that runs in this frame, if only one has its code."""
    code = caller.f_code
    known = _originals.get(id(code))
    if known is None:
        found = [
            each
            for each in gc.get_referrers(code)
            if type(each) is FunctionType and each.__code__ is code
        ]
        if not found and not code.co_freevars:  # frozen objects are not found
            # PyTorch's functions give the mode all their arguments: no default is missed
            found = [FunctionType(code, caller.f_globals)]
        known = _originals[id(code)] = code, found[0] if len(found) == 1 else None
    return known[1]
