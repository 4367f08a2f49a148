"""Adding a gradient to a leaf's ``.grad``."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import hot
from .inplace import check_overlap
from .tensor import Tensor
from .version import bump


def accumulate(variable: Tensor, grad: Any, create: bool) -> None:
    """Add a gradient to ``variable.grad``.

    The first is copied into the leaf's own memory layout, later ones are added in place; under
    create_graph both are recorded and out of place (PyTorch, accumulate_grad.h).
    """
    current = variable._grad
    if create and isinstance(grad, Tensor):
        variable._grad = hot.copied(grad) if current is None else hot.tensors.add(current, grad)
    elif current is None:
        data = np.empty_like(variable._data)
        np.copyto(data, grad)
        variable._grad = Tensor._wrap(data)
    else:
        check_overlap(current._data, [])  # the user's own buffer may be an expanded one
        np.add(current._data, grad, out=current._data)
        bump(current, "backward")
