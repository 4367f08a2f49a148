"""What PyTorch tells of a tensor: its base, node, version and storage, and what it holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch._C import _get_tracing_state
from torch.compiler import is_dynamo_compiling

from ...recording import events as ev
from ...recording.summary import capture, summary

Captured = tuple[str, tuple[int, ...], torch.Tensor | None]
"""A tensor's dtype and shape, and a copy of it where it is small."""


def base_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """What the tensor is a view of, or None."""
    return tensor._base if tensor._is_view() else None


def grad_fn_of(tensor: torch.Tensor) -> Any:
    """The tensor's node; None also where PyTorch refuses to tell it (a view whose history was
    lost), which is the program's affair when it uses the view."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def asked(tensor: torch.Tensor, name: str) -> bool:
    """A flag of the tensor, as far as PyTorch tells it."""
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


def traced() -> bool:
    """Whether what is called now only makes a graph of calls, for Dynamo or for TorchScript."""
    return is_dynamo_compiling() or _get_tracing_state() is not None


def copyable(tensor: torch.Tensor) -> bool:
    """Whether the tensor's memory is its content and near: not that of fake and batched tensors,
    of zeros without memory, or of another device."""
    if type(tensor) not in PLAIN or not tensor.is_cpu or torch._C._len_torch_dispatch_stack():
        return False
    return not _WRAPPED(tensor) and tensor.layout is torch.strided


def numbers_of(tensor: torch.Tensor) -> Any:
    """The tensor's numbers in nested lists, faster than a copy where they are few; None where
    nobody can look at them."""
    try:
        return tensor.tolist() if copyable(tensor) else None
    except (RuntimeError, TypeError):  # the old vmap's tensors look like others
        return None


PLAIN = (torch.Tensor, torch.nn.Parameter)
_WRAPPED: Callable[[torch.Tensor], bool] = getattr(
    getattr(torch._C, "_functorch", None), "is_functorch_wrapped_tensor", lambda tensor: False
)


@cache
def dtype_name(dtype: torch.dtype) -> str:
    """``float32`` for ``torch.float32``."""
    return str(dtype).removeprefix("torch.")


def content_of(data: Captured) -> Any:
    """What was captured as ``recording.summary`` captures arrays; None where it was not copied."""
    copy = data[2]
    if copy is None or type(copy) not in PLAIN:
        return None
    try:
        if copy.dtype in (torch.bfloat16, torch.float16):
            copy = copy.float()
        return None if copy.is_complex() else capture(copy.numpy())
    except (RuntimeError, TypeError):
        return None


def summarized(data: Captured) -> ev.Summary:
    """The ``Summary`` of what was captured."""
    content = content_of(data)
    return ev.Summary(data[1], data[0], None, None, None) if content is None else summary(content)
