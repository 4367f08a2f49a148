"""``softmax`` and ``log_softmax``, where ``dim`` may be left out."""

from __future__ import annotations

from typing import Any

from ...arrays.warnings import warn
from ...functions.pointwise import activations
from ...graph.tensor import Tensor


def _get_softmax_dim(name: str, ndim: int, level: int) -> int:
    """The dim that PyTorch takes when none is given, with its warning."""
    warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument.",
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """exp(input) over its sum along a dim."""
    dim = _get_softmax_dim("softmax", input.ndim, _stacklevel) if dim is None else dim
    return activations.softmax(input, dim, dtype=dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """The logarithm of `softmax`, computed stably."""
    dim = _get_softmax_dim("log_softmax", input.ndim, _stacklevel) if dim is None else dim
    return activations.log_softmax(input, dim, dtype=dtype)
