"""The error of saved-tensor hooks around or inside the transforms of ``torch.func``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..graph.saved_hooks import disable_saved_tensors_hooks

NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an "
    "issue with your use case."
)


def without_saved_hooks(transform: Callable[..., Any]) -> Callable[..., Any]:
    """A reverse-mode transform that refuses ``saved_tensors_hooks``, around it or inside of it, as
    PyTorch's do.

    Raises:
        RuntimeError: PyTorch's text.
    """

    @functools.wraps(transform)
    def refusing(*args: Any, **kwargs: Any) -> Any:
        with disable_saved_tensors_hooks(NO_HOOKS):
            return transform(*args, **kwargs)

    return refusing
