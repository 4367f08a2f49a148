"""``torch.utils.hooks``: handles of hooks, and hooks of tensors that are pickled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..functions.tensor.numpy_copies_pickle import warn_if_has_hooks
from ..graph.base import RemovableHandle

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]

Hook = TypeVar("Hook", bound=Callable[..., Any])


def unserializable_hook(f: Hook) -> Hook:
    """Mark a hook that may stay behind without a warning when its tensor is pickled."""
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f
