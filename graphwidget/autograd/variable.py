"""``torch.autograd.Variable``, the former name of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.dtypes import default_numpy
from ..arrays.kernel_errors import type_name
from ..arrays.warnings import warn
from ..graph.tensor import Tensor
from .engine import current_run, queue_callback

__all__ = ["Variable", "variable"]

VOLATILE = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."


class _Former(type):
    """Every tensor is a Variable, and making one makes a tensor."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)

    def __call__(
        cls, data: Any = None, requires_grad: bool = False, volatile: bool | None = None
    ) -> Tensor:
        if volatile is not None:
            warn(VOLATILE, UserWarning)
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}")
        made = Tensor._wrap(np.empty(0, default_numpy())) if data is None else data.detach()
        return made.requires_grad_() if requires_grad else made


class Engine:
    """The part of PyTorch's engine that other programs use as ``Variable._execution_engine``."""

    queue_callback = staticmethod(queue_callback)

    @staticmethod
    def is_checkpoint_valid() -> bool:
        """Return whether no run is at work that wants the gradients of some tensors only."""
        run = current_run()
        return run is None or run.captures is None


class Variable(metaclass=_Former):
    """The former name of Tensor: ``Variable(data, requires_grad=False)`` is a new leaf with the
    data of a tensor, and ``isinstance(tensor, Variable)`` holds.

    Raises:
        TypeError: the data is no tensor.
    """

    _execution_engine = Engine()


def variable(*args: Any, **kwargs: Any) -> Any:
    """PyTorch's former way to make a tensor.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")
