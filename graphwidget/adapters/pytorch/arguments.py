"""Arguments and results of calls, as they are noted: with references in the place of tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from .ops import tensors_in, text
from .tape import PLAIN, Foreign
from .tensors import Given, Tensors

TENSORS = frozenset({torch.Tensor, torch.nn.Parameter})

Before = tuple[list[Given], tuple[Any, ...], Mapping[str, Any]]
"""What a call is given: its tensors, each with its identity before; and its arguments, with
references in their place."""


def given_to(identity: Tensors, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Before:
    """What a call is given, before it."""
    given: list[Given] = []
    kept: list[Any] = []
    with torch._C.DisableTorchFunction():
        for each in args:
            if type(each) in PLAIN:
                kept.append(each)
            elif type(each) in TENSORS:
                ref = identity.current(each)
                given.append((each, ref))
                kept.append(ref)
            else:
                kept.append(_kept(each, given, identity))
        if not kwargs:
            return given, tuple(kept), kwargs
        words = {word: _kept(each, given, identity) for word, each in kwargs.items()}
        return given, tuple(kept), words


def _kept(value: Any, given: list[Given], identity: Tensors) -> Any:
    """An argument, with references in the place of tensors."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if isinstance(value, torch.Tensor):
        if is_lazy(value):
            return Foreign("...", ())
        ref = identity.current(value)
        given.append((value, ref))
        return ref
    if kind is list or kind is tuple:
        return kind([_kept(each, given, identity) for each in value])
    if kind is slice:
        return slice(*[_kept(x, given, identity) for x in (value.start, value.stop, value.step)])
    if kind is dict:
        return {key: _kept(each, given, identity) for key, each in value.items()}
    if isinstance(value, (int, float)):
        return value
    inside = [(each, identity.current(each)) for each in tensors_in(value)]
    given += inside
    told = "" if inside else text(value)
    return Foreign(told, tuple([ref for _tensor, ref in inside]))


def given_back(identity: Tensors, value: Any) -> Any:
    """What a call gave back, with references in the place of tensors."""
    if isinstance(value, torch.Tensor):
        return None if is_lazy(value) else identity.current(value)
    if isinstance(value, (list, tuple)):
        return tuple([given_back(identity, each) for each in value])
    return None
