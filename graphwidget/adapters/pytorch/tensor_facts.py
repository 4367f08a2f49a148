"""Facts about a tensor of PyTorch: its base, node, version, storage and content."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from ctypes import c_char
from functools import cache, lru_cache
from typing import Any

import numpy as np
import torch
from torch._C import _get_tracing_state
from torch.compiler import is_dynamo_compiling

from ...recording import events as ev
from ...recording.summary import SMALL, Copy, summary
from ...recording.summary import copy_of as recorded_copy

Captured = tuple[str, tuple[int, ...], bytes | Copy | None]
"""A tensor's dtype and shape, and a copy of its numbers where these are few."""


def base_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return the base of a view, else None."""
    return tensor._base if tensor._is_view() else None


def grad_fn_of(tensor: torch.Tensor) -> Any:
    """The tensor's node; None also where PyTorch refuses (a view whose history was
    lost), which is the program's affair when it uses the view."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def asked(tensor: torch.Tensor, name: str) -> bool:
    """A flag of the tensor, as far as PyTorch gives it."""
    try:
        return bool(getattr(tensor, name))
    except RuntimeError:
        return False


def version_of(tensor: torch.Tensor) -> int:
    """The tensor's version; 0 for inference tensors, which have none."""
    try:
        return tensor._version
    except RuntimeError:
        return 0


def storage_of(tensor: torch.Tensor) -> int:
    """The address of the tensor's storage; of a tensor without one, its own."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError):  # sparse tensors and the like
        return id(tensor)


class _Shapes(dict[tuple[int, ...], tuple[int, ...]]):
    """One object of each shape."""

    def __missing__(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        if len(self) > MAX_SHAPES:
            self.clear()
        self[shape] = shape
        return shape


_shapes = _Shapes()
MAX_SHAPES = 10_000


def shape_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """The tensor's shape, one object of each; of a list of tensors of different shapes, which has
    none, a size that is no number for each of its dims."""
    try:
        return _shapes[tensor.shape]
    except TypeError:  # sizes that are symbols cannot be looked up
        return tensor.shape
    except RuntimeError:
        return (-1,) * tensor.dim()


def traced() -> bool:
    """Return whether what is called now only makes a graph of calls, for Dynamo or for
    TorchScript."""
    return is_dynamo_compiling() or _get_tracing_state() is not None


def copyable(tensor: torch.Tensor) -> bool:
    """Return whether the tensor's memory is its content and near: not that of fake and batched
    tensors, of zeros without memory, or of another device."""
    if type(tensor) not in PLAIN or not tensor.is_cpu or torch._C._len_torch_dispatch_stack():
        return False
    return not _WRAPPED(tensor) and tensor.layout is torch.strided


def copyable_of(tensors: Iterable[torch.Tensor | None]) -> list[torch.Tensor]:
    """Those of the tensors that are there and copyable, found faster where no transform of
    functions and no dispatch mode is on that could have made others."""
    if _transformed() or torch._C._len_torch_dispatch_stack():
        return [each for each in tensors if each is not None and copyable(each)]
    strided = torch.strided
    return [
        each
        for each in tensors
        if each is not None and type(each) in PLAIN and each.is_cpu and each.layout is strided
    ]


def copy_of(
    tensor: torch.Tensor, dtype: torch.dtype, count: int, gradient: bool = False
) -> bytes | Copy | None:
    """A copy of a tensor small enough to be looked at; None where numpy has no such numbers, or
    where the tensor's memory was freed. Of a ``gradient`` that the engine has just made the storage
    is not asked: a storage that Python has seen has one reference more, and then the engine adds
    gradients up in new memory, with other versions. (A numpy array of the memory would forbid
    PyTorch to resize it.)"""
    # The hot path: every result, gradient and parameter of every iteration.
    kind = _IN_NUMPY.get(dtype)
    converted = kind is None
    try:
        if kind is None:
            if not dtype.is_floating_point:
                return None
            tensor, kind = tensor.detach().float(), _FLOAT
        if not tensor.is_contiguous() or tensor.is_neg():
            tensor, gradient = tensor.detach().resolve_neg().contiguous(), False
        item, start = kind.itemsize, tensor.data_ptr()
        size, before = count * item, tensor.storage_offset() * item
        if gradient:
            missing = start == before and size > 0
        else:
            missing = before + size > tensor.untyped_storage().nbytes()
        if missing and not (gradient and tensor._is_zerotensor()):
            return None
    except RuntimeError:  # the old vmap's tensors look like others
        return None
    content: bytes = bytes(size) if missing else _chars(size).from_address(start).raw
    return recorded_copy(content, kind) if count > SMALL or converted else content


@lru_cache(maxsize=1_024)
def _chars(size: int) -> Any:
    """The class of a block of memory, by its bytes."""
    return c_char * size


PLAIN = (torch.Tensor, torch.nn.Parameter)
_IN_NUMPY = {
    kind: np.dtype(str(kind).removeprefix("torch."))
    for kind in (
        torch.float32, torch.float64, torch.float16, torch.bool, torch.uint8, torch.int8,
        torch.int16, torch.int32, torch.int64,
    )
}  # fmt: skip
"""The types that numpy has too, as numpy's."""
_FLOAT = np.dtype("float32")
_WRAPPED: Callable[[torch.Tensor], bool] = getattr(
    getattr(torch._C, "_functorch", None), "is_functorch_wrapped_tensor", lambda tensor: False
)
_INTERPRETER: Callable[[], Any] = getattr(
    getattr(torch._C, "_functorch", None), "peek_interpreter_stack", lambda: None
)


def _transformed() -> bool:
    """Return whether a transform of functions is on (``torch.func``)."""
    return _INTERPRETER() is not None


@cache
def dtype_name(dtype: torch.dtype) -> str:
    """``float32`` for ``torch.float32``."""
    return str(dtype).removeprefix("torch.")


def content_of(data: Captured) -> Any:
    """Return captured data in the form of ``recording.summary.capture``; None if not copied."""
    dtype, shape, copy = data
    if type(copy) is Copy:
        return copy.dtype, shape, copy.content
    return None if copy is None else (np.dtype(dtype), shape, copy)


def summarized(data: Captured) -> ev.Summary:
    """The ``Summary`` of what was captured. A size that is no number, as of tensors of different
    lengths in one, is -1."""
    content = content_of(data)
    if content is not None:
        return summary(content)
    shape = tuple([size if type(size) is int else -1 for size in data[1]])
    return ev.Summary(shape, data[0], None, None, None)
