"""``torch.utils.swap_tensors``: two tensor objects exchange all that they are."""

from __future__ import annotations

import weakref
from typing import Any

from ...graph.base import TensorBase
from ...graph.tensor import Tensor

POISONED = (
    "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when "
    "you try to run backward on a tensor that was swapped. For a module m with "
    "`torch.__future__.set_swap_module_params_on_conversion(True)` you should not change the "
    "device or dtype of the module (e.g. `m.cpu()` or `m.half()`) between running forward and "
    "backward. To resolve this, please only change the device/dtype before running forward (or "
    "after both forward and backward)."
)


def refuse_backward(grad_outputs: Any) -> None:
    """Refuse backward in graphs that lead to the tensor's former self.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(POISONED)


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Let two tensors change places with all they are: class, attributes, values, history. Graphs
    that would give a gradient to one of them refuse backward.

    Raises:
        RuntimeError: somebody refers to one of them weakly (PyTorch's text).
    """
    pair = {"t1": t1, "t2": t2}
    for name, each in pair.items():
        if weakref.getweakrefs(each):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    for each in pair.values():
        place = None if each._accumulator is None else each._accumulator()
        if place is not None:
            place.register_prehook(refuse_backward)
        each._accumulator = None
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    for name in SLOTS:
        one, two = getattr(t1, name), getattr(t2, name)
        setattr(t1, name, two)
        setattr(t2, name, one)


SLOTS = [name for name in TensorBase.__slots__ if name != "__weakref__"]
