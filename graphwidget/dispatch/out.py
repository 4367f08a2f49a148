"""``out=``: a result written into a tensor that the user gives; named tuples of several results.

What ``out`` may be is declared with each function (``optable/out.py``). One that is too small gets
a larger storage, and with it all tensors that share the old one. Memory is numpy's, and an array
cannot be moved to other memory, so the tensors and storages on it are looked for among all of
Python's objects, and get new arrays. What nodes have saved stays as it was.
"""

from __future__ import annotations

import contextlib
import gc
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from ..arrays import dtypes
from ..arrays.memory_order import check_overlap, memory_of, memory_owner
from ..arrays.warnings import warn
from ..autograd.grad_mode import no_grad
from ..eager.inplace import set_history, write
from ..eager.promote import CAST
from ..graph import runtime
from ..graph.node import NotImplementedNode
from ..graph.tensor import Tensor
from ..optable import TABLE
from ..optable.out import Out


class NamedResult(tuple[Any, ...]):
    """A tuple with names for its items."""

    __slots__ = ()
    fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        items = ",\n".join(f"{name}={item!r}" for name, item in zip(self.fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{items})"

    def __reduce__(self) -> tuple[Any, ...]:
        return unpickle_result, (type(self).__name__, tuple(self))


TYPES: dict[str, type[NamedResult]] = {}
"""Every kind of named result, by the name of its function."""


def make_result_type(name: str, *fields: str) -> type[NamedResult]:
    """The result type of a function."""
    places = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
    made = type(name, (NamedResult,), {"__slots__": (), "fields": fields, **places})
    made.__module__ = "torch.return_types"
    TYPES[name] = made
    return made


def out_result_type(kind: type[NamedResult]) -> type[NamedResult]:
    """The type of a result that was written into ``out=``."""
    name = f"{kind.__name__}_out"
    return TYPES.get(name) or make_result_type(name, *kind.fields)


def unpickle_result(name: str, items: tuple[Any, ...]) -> NamedResult:
    """A pickled result."""
    return TYPES[name](items)


def bytes_of(data: np.ndarray) -> np.ndarray:
    """The whole memory behind an array, as bytes."""
    memory: np.ndarray = memory_of(data).reshape(-1).view(np.uint8)
    return memory


def enlarge(data: np.ndarray, needed: int) -> np.ndarray:
    """The memory behind an array, as bytes; grown where it has less than is needed."""
    memory = bytes_of(data)
    if needed <= memory.size:
        return memory
    width = data.itemsize
    grown: np.ndarray = np.empty(-(-needed // width), data.dtype).view(np.uint8)
    move_storage(data, memory, grown)
    return grown


def move_storage(data: np.ndarray, memory: np.ndarray, place: np.ndarray) -> None:
    """Let all that shows an array's memory show another, to which the contents are copied.

    Raises:
        RuntimeError: a tensor would lie beyond its end, which no array can.
    """
    kept, owner = min(memory.size, place.size), memory_owner(data)
    place[:kept] = memory[:kept]
    if not memory.size:
        return
    shown = [found for found in map(memory_holder, gc.get_objects()) if found is not None]
    shown = [found for found in shown if memory_owner(found[2]) is owner]
    begin = memory.ctypes.data
    moved = []
    for each, name, array in shown:
        if name == "_memory":
            whole = place[: place.size - place.size % array.itemsize].view(array.dtype)
            moved.append((each, name, whole))
            continue
        start = array.ctypes.data - begin
        try:
            found = np.ndarray(array.shape, array.dtype, place, start, array.strides)
        except (TypeError, ValueError):
            raise RuntimeError(
                f"graphwidget cannot resize a storage to {place.size} bytes while a tensor of "
                f"shape {list(array.shape)} shows more of it"
            ) from None
        moved.append((each, name, found))
    for each, name, found in moved:
        setattr(each, name, found)


def memory_holder(each: Any) -> tuple[Any, str, np.ndarray] | None:
    """An object that shows memory, as which attribute, and what of it; else None."""
    for kind, name in SHOWING:
        if issubclass(type(each), kind):
            with contextlib.suppress(AttributeError, ValueError):  # a lazy parameter has none yet
                array = getattr(each, name)
                return None if array is None else (each, name, array)
    return None


SHOWING: list[tuple[type, str]] = [(Tensor, "_data")]
"""Types that show memory, and the attribute that does; storages join when the first one is made."""


def resize_storage(
    data: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...] | None = None
) -> np.ndarray:
    """Another size (and strides, in bytes) over an array's memory, from the array's beginning."""
    begin = data.ctypes.data - memory_of(data).ctypes.data
    memory = enlarge(data, begin + data.itemsize * math.prod(shape))
    return np.ndarray(shape, data.dtype, memory, begin, strides)


RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match "
    "the required output shape {}. This behavior is deprecated, and in a future PyTorch release "
    "outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
    "tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
)

WANTED = "Expected out tensor to have dtype {c_result}, but got {c_given} instead"
FOUND = "Found dtype {given} but expected {result}"
JOINED = "torch.cat(): input types can't be cast to the desired output type {given}"
TRUTH = "{name} only supports bool tensor for result, got: {given}"


def write_into_out(
    name: str, how: Out, out: Any, target: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """Call ``target`` and write its result into ``out`` (a tensor, or a tuple of them).

    Raises:
        RuntimeError: a gradient would be needed, or the result's dtype cannot be cast to that of
            ``out``. Nothing was changed then.
    """
    outs = tuple(out) if isinstance(out, (tuple, list)) else (out,)
    for each in outs:
        if not isinstance(each, Tensor):
            kind = type(each).__name__
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {kind}")
    wants_grad = kwargs.pop("requires_grad", None)  # which only those take that read no tensors
    read = list(tensors_in((*args, *kwargs.values()))) if wants_grad is None else []
    recorded = check_gradient(name, how, read, outs)
    check_memory(how, outs[0]._data, [each._data for each in read])
    typed = kwargs.get("dtype") is not None
    if how.dtype == "own" and not typed:
        kwargs["dtype"] = outs[0].dtype
    with no_grad():
        found = target(*args, **kwargs)
    single = isinstance(found, Tensor)
    if single != isinstance(out, Tensor):
        wanted = "Tensor" if single else "tuple of Tensors"
        raise TypeError(f"{name}(): argument 'out' must be {wanted}, not {type(out).__name__}")
    results = (found,) if single else tuple(found)
    rule = "result" if typed or not single else how.dtype
    if rule == "plain":
        rule = "plain" if len(read) == len(TABLE[name].inputs) else "cast"
    for each, result in zip(outs, results, strict=True):
        check_dtype(name, rule, each._data.dtype, result._data.dtype)
    with no_grad():
        for each, result in zip(outs, results, strict=True):
            write_result(how, each, result, warned=bool(read))
    if recorded and outs[0]._meta.floating:
        set_history(outs[0], NotImplementedNode(f"aten::{name}", recorded))
    if wants_grad is not None and outs[0].is_leaf:
        outs[0].requires_grad_(wants_grad)
    if single:
        return out
    return (
        out_result_type(type(found))(outs) if isinstance(found, NamedResult) else type(found)(outs)
    )


def check_gradient(
    name: str, how: Out, read: Sequence[Tensor], outs: Sequence[Tensor]
) -> list[Tensor]:
    """The tensors that require grad where the write gets a node; there is none where no gradient
    is wanted, or none would come from such a function.

    Raises:
        RuntimeError: PyTorch does not record such a write (its text).
    """
    if how.history == "resized" and outs[0]._requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    op = TABLE.get(name)
    wanting = [each for each in (*read, *outs) if each.requires_grad]
    floating = any(each._meta.floating for each in outs)
    if not wanting or not floating or not runtime.grad_enabled():
        return []
    if op is not None and op.nograd and op.dtype == "bool":
        return []
    ended = how.history == "ended" or (op is not None and op.nograd)
    if ended and not any(each.is_leaf and each.requires_grad for each in outs):
        return wanting
    raise RuntimeError(
        f"{'aten::' * ended}{name}(): functions with out=... arguments don't support automatic "
        "differentiation, but one of the arguments requires grad."
    )


def check_memory(how: Out, out: np.ndarray, read: list[np.ndarray]) -> None:
    """RuntimeError if a function must not write into what it reads, or into parts of it."""
    if how.memory in ("whole", "first"):
        check_overlap(out, read)
    if how.memory in ("first", "none"):
        check_overlap(out, read[how.memory == "first" :], whole=True)


def check_dtype(name: str, rule: str, given: np.dtype[Any], result: np.dtype[Any]) -> None:
    """Refuse an ``out`` of a type that the rule (``Out.dtype``) does not allow.

    Raises:
        RuntimeError, TypeError: PyTorch's texts of most functions.
    """
    text = ""
    if rule in ("result", "plain"):
        text = "" if given == result else WANTED if rule == "result" else FOUND
    elif rule == "truth":
        text = "" if given in (bool, np.uint8) else TRUTH
    elif not dtypes.can_cast(result, given):
        text = JOINED if rule == "joined" else CAST
    if text:
        raise (TypeError if text is JOINED else RuntimeError)(text.format(
            name=name, result=dtypes.scalar_type(result), given=dtypes.scalar_type(given),
            c_result=dtypes.c_type(result), c_given=dtypes.c_type(given),
        ))  # fmt: skip


def write_result(how: Out, out: Tensor, result: Tensor, warned: bool) -> None:
    """Write a result into ``out``, resized where it must be; its version rises."""
    shape, size = out._data.shape, out._data.size
    if how.keeps_shape and size == result._data.size:
        result = result.reshape(shape)
    elif shape != result._data.shape:
        if size and warned:
            warn(RESIZED.format(list(shape), list(result._data.shape)))
        like = np.empty_like(result._data, out._data.dtype)
        out._replace_memory(resize_storage(out._data, like.shape, like.strides))
    write(TABLE["copy"], out, (result,), {})


def tensors_in(values: Iterable[Any]) -> Iterator[Tensor]:
    """The tensors among arguments, lists included."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)
