"""Arguments and results of calls, as they are recorded: with references in place of tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch.nn.parameter import is_lazy

from ...recording.looking import is_a, items
from ...recording.recorder import Ref
from .ops import tensors_in, text
from .tape import PLAIN, Foreign
from .tensor_facts import storage_of
from .tensors import Tensors

TENSORS = frozenset({torch.Tensor, torch.nn.Parameter})


Given: TypeAlias = tuple[list[torch.Tensor], list[Ref], tuple[Any, ...], Mapping[str, Any]]
"""Arguments of a call: its tensors; their identities before; and the arguments, by position and by
name, with references in place of tensors."""


def given_to(identity: Tensors, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Given:
    """Return the arguments of a call, before it."""
    tensors: list[torch.Tensor] = []
    refs: list[Ref] = []
    kept: list[Any] = []
    met, defers, values = identity.refs.get, identity.defers, identity.recorder.values
    for each in args:
        kind = type(each)
        if kind in TENSORS:
            # The hot path: nearly every tensor is as it was when it was last met.
            ref = met(id(each))
            try:
                if (
                    ref is None or each._version != ref.version or ref() is not each
                    or not (defers or ref.id in values)
                ):  # fmt: skip
                    ref = identity.current(each)
            except RuntimeError:  # it has none
                ref = identity.current(each)
            tensors.append(each)
            refs.append(ref)
            kept.append(ref)
        else:
            kept.append(each if kind in PLAIN else _kept(each, tensors, refs, identity))
    if kwargs and not PLAIN.issuperset(map(type, kwargs.values())):
        kwargs = {word: _kept(each, tensors, refs, identity) for word, each in kwargs.items()}
    return tensors, refs, tuple(kept), kwargs


def any_unseen(identity: Tensors, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Return whether the arguments of a call and their memory are unknown, and no argument and no
    result needs a gradient: then no node can have saved what the call writes, and its results are
    registered when they are used."""
    if kwargs.get("requires_grad"):
        return False
    refs, storages = identity.refs, identity.tables.storages
    with torch._C.DisableTorchFunction():
        waiting = [*args, *kwargs.values()] if kwargs else [*args]
        while waiting:
            each = waiting.pop()
            kind = type(each)
            if kind is torch.Tensor:
                if id(each) in refs or each.requires_grad or storage_of(each) in storages:
                    return False
            elif kind is list or kind is tuple:
                waiting += each
            elif kind not in PLAIN and kind is not slice:
                return False
    return True


def _kept(value: Any, tensors: list[torch.Tensor], refs: list[Ref], identity: Tensors) -> Any:
    """An argument, with references in the place of tensors."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is list or kind is tuple:
        return kind([_kept(each, tensors, refs, identity) for each in value])
    if is_a(value, torch.Tensor):
        if is_lazy(value):
            return Foreign("...", ())
        ref = identity.current(value)
        tensors.append(value)
        refs.append(ref)
        return ref
    if kind is slice:
        parts = value.start, value.stop, value.step
        return slice(*[_kept(each, tensors, refs, identity) for each in parts])
    if kind is dict:
        return {key: _kept(each, tensors, refs, identity) for key, each in value.items()}
    if is_a(value, (int, float)):
        return value
    inside = tensors_in(value)
    known = [identity.current(each) for each in inside]
    tensors += inside
    refs += known
    return Foreign("" if inside else text(value), tuple(known))


def given_to_run(identity: Tensors, value: Any, refs: list[Ref]) -> Any:
    """Return the arguments of a backward run, with references in place of tensors; these are
    added to ``refs``. Gradients that only the run gets are not recorded: no call gets them, and
    the time of their death depends on who looks at the nodes' gradients later."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is tuple or kind is list:
        return kind([given_to_run(identity, each, refs) for each in value])
    if kind not in TENSORS:
        return _kept(value, [], refs, identity)
    met = id(value) in identity.refs
    refs.append(identity.current(value) if met else identity.fresh(value))
    return refs[-1]


def given_back(identity: Tensors, value: Any) -> Any:
    """Return the result of a call, with references in place of tensors."""
    if is_a(value, torch.Tensor):
        return None if is_lazy(value) else identity.result(value)
    if is_a(value, (list, tuple)):
        return tuple([given_back(identity, each) for _, each in items(value)])
    return None
