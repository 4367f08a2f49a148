"""``out=``: a result written into a tensor that the user gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..optable import TABLE
from . import dtypes, hot
from .inplace import write
from .modes import no_grad
from .tensor import Tensor

RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match "
    "the required output shape {}. This behavior is deprecated, and in a future PyTorch release "
    "outputs will not be resized unless they have zero elements. You can explicitly reuse an out "
    "tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
)


def into(name: str, out: Any, target: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call ``target`` and write its result into ``out`` (a tensor, or a tuple of them).

    Raises:
        RuntimeError: a gradient would be needed, or the result's dtype cannot be cast to that of
            ``out``. Nothing was changed then.
    """
    outs = (out,) if isinstance(out, Tensor) else tuple(out)
    for each in outs:
        if not isinstance(each, Tensor):
            kind = type(each).__name__
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {kind}")
    given = (*args, *kwargs.values(), *outs)
    if hot.grad_enabled() and any(tensor.requires_grad for tensor in tensors_in(given)):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )
    with no_grad():
        found = target(*args, **kwargs)
    results = (found,) if isinstance(found, Tensor) else tuple(found)
    for each, result in zip(outs, results, strict=True):
        if not dtypes.can_cast(result._data.dtype, each._data.dtype):
            have = dtypes.type_word(result._data.dtype)
            wanted = dtypes.type_word(each._data.dtype)
            raise RuntimeError(
                f"result type {have} can't be cast to the desired output type {wanted}"
            )
    with no_grad():
        for each, result in zip(outs, results, strict=True):
            put(each, result)
    return out if isinstance(out, Tensor) else type(found)(outs)


def put(out: Tensor, result: Tensor) -> None:
    """Write a result into ``out``, resized where it must be; its version rises."""
    if out._data.shape != result._data.shape:
        if out._data.size:
            shapes = list(out._data.shape), list(result._data.shape)
            warnings.warn(RESIZED.format(*shapes), stacklevel=4)
        out._data = np.empty(result._data.shape, out._data.dtype)
        out._meta = hot.meta_of(out._data)
    write(TABLE["copy"], out, (result,), {})


def tensors_in(values: Iterable[Any]) -> Iterator[Tensor]:
    """The tensors among arguments, lists included."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)
