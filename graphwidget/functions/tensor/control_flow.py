"""``torch.cond``: one of two functions, as a condition says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...dispatch.offer import offer
from ...graph.tensor import Tensor


@offer(method=False)
def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()
) -> Any:
    """One of two functions of the operands, as a condition says.

    Raises:
        RuntimeError: the condition is no bool and no single number in a tensor (PyTorch's text).
    """
    if isinstance(pred, Tensor) and pred._data.size != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    return (true_fn if bool(pred) else false_fn)(*operands)
