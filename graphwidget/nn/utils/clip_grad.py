"""``clip_grad_norm_``, ``clip_grad_value_`` and ``get_total_norm``."""

from __future__ import annotations

import math
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...arrays import dtypes
from ...arrays.warnings import warn
from ...autograd.grad_mode import no_grad
from ...graph import runtime
from ...graph.tensor import Tensor

_NOT_FINITE = (
    "The total norm of order {} for gradients from `parameters` is non-finite, so it cannot be "
    "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
    "`error_if_nonfinite=False`"
)


OLDER = (
    "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
    "`torch.nn.utils.clip_grad_norm_`."
)


def _as_list(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """One parameter or several, as a list; an empty generator is suspicious."""
    if isinstance(parameters, Tensor):
        return [parameters]
    found = list(parameters)
    if not found and isinstance(parameters, types.GeneratorType):
        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    return found


NO_GRADIENTS = (
    "Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could this error message "
    "be improved?  If so, please report an enhancement request to PyTorch.)"
)


def _gradients(parameters: Iterable[Tensor]) -> list[Tensor]:
    return [each.grad for each in parameters if each.grad is not None]


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all tensors together, as if they were one vector: a 0-d tensor.

    Raises:
        RuntimeError: it is not finite and `error_if_nonfinite`, or of integers.
    """
    listed = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    total = _total_norm(listed, float(norm_type), error_if_nonfinite)
    if runtime.observer is not None:
        runtime.observer.made(total)
    return total


def _total_norm(listed: list[Tensor], kind: float, error_if_nonfinite: bool) -> Tensor:
    if not listed:
        return Tensor._wrap(np.zeros((), np.float32))
    for each in listed:
        if not each._meta.floating:
            raise RuntimeError(
                "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                f"{dtypes.scalar_type(each._data.dtype)}"
            )
    found = [np.asarray(_norm(each._data, kind), each._data.dtype) for each in listed]
    norms = np.array(found, np.result_type(*found))  # each in its type, all in their common one
    total = Tensor._wrap(np.asarray(_norm(norms, kind), norms.dtype))
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(_NOT_FINITE.format(kind))
    return total


def _norm(data: np.ndarray, kind: float) -> Any:
    if kind == math.inf:
        return np.abs(data).max(initial=0)
    if kind == 2.0:
        flat = data.reshape(-1)
        return np.sqrt(np.dot(flat, flat))
    return np.linalg.norm(data.reshape(-1), kind)


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,
) -> None:
    """Scale all gradients by `max_norm / total_norm`, if that makes them smaller."""
    factor = min(float(max_norm) / (total_norm.item() + 1e-6), 1.0)
    if math.isnan(total_norm.item()):
        factor = math.nan
    with no_grad():
        for grad in _gradients(_as_list(parameters)):
            grad.mul_(factor)


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients in place so that their norm together is at most `max_norm`.

    Returns:
        The norm before: a 0-d tensor.

    Raises:
        RuntimeError: it is not finite and `error_if_nonfinite`.
    """
    listed = _as_list(parameters)
    total = _total_norm(_gradients(listed), float(norm_type), error_if_nonfinite)
    if runtime.observer is not None:
        runtime.observer.made(total)  # the result of the user's own call: it gets its name
    clip_grads_with_norm_(listed, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """``clip_grad_norm_`` by its older name."""
    warn(OLDER, FutureWarning)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Bring all items of all gradients between -clip_value and clip_value, in place.

    Raises:
        RuntimeError: there is no gradient (PyTorch's text).
    """
    bound = float(clip_value)
    grads = _gradients(_as_list(parameters))
    if not grads:
        raise RuntimeError(NO_GRADIENTS)
    with no_grad():
        for grad in grads:
            grad.clamp_min_(-bound).clamp_max_(bound)
